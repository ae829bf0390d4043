/**
 * Prints the path of the image `$2`, built with the program `$1` into the cache unless it is there; at least `$3` KiB must be free. Of
 * several at once one builds, and what others see appears whole. Status 4: the cache, which is printed, is not writable; 5: the
 * directory that is printed has no room.
 */
export const fetchImage = `
program=$1 image=$2 need=$3
base=\${APPTAINER_CACHEDIR:-\${SINGULARITY_CACHEDIR:-$HOME/.apptainer/cache}}
cache=$base/petasos
stamp=
case $image in
docker-archive:* | oci-archive:*) stamp=$(stat -Lc '%s %Y' "\${image#*:}" 2>/dev/null) ;;
esac
key=$(printf '%s %s' "$image" "$stamp" | sha256sum | cut -c1-32)
if [ -f "$cache/$key.sif" ]; then printf '%s\\n' "$cache/$key.sif"; exit 0; fi
umask 077
mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || { printf '%s' "$cache"; exit 4; }
temporary=\${APPTAINER_TMPDIR:-\${SINGULARITY_TMPDIR:-\${TMPDIR:-/tmp}}}
for place in "$cache" "$temporary"; do
  free=$(df -Pk "$place" 2>/dev/null | awk 'NR == 2 { print $4 }')
  [ "\${free:-$need}" -ge "$need" ] || { printf '%s' "$place"; exit 5; }
done
child= work=
trap '[ -z "$child" ] || kill -TERM "$child" 2>/dev/null; rm -rf "$work" "$cache/$key.$$.part"' EXIT
trap 'exit 143' TERM INT HUP
if command -v flock >/dev/null 2>&1; then exec 9>"$cache/$key.lock"; flock 9; fi
if [ ! -f "$cache/$key.sif" ]; then
  rm -f "$cache/$key".*.part
  work=$(mktemp -d "$temporary/petasos-build-XXXXXX") || { printf '%s' "$temporary"; exit 4; }
  APPTAINER_TMPDIR=$work SINGULARITY_TMPDIR=$work "$program" build "$cache/$key.$$.part" "$image" 9>&- >&2 &
  child=$!
  wait "$child" || { child=; exit 8; }
  child=
  mv "$cache/$key.$$.part" "$cache/$key.sif" || exit 4
fi
rm -f "$cache/$key.lock"
printf '%s\\n' "$cache/$key.sif"
`;
