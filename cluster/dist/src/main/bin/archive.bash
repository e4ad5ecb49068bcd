# An archive of loaded classes (class-data sharing), with which the JVM starts faster. For bash; sourced, after java.bash.
#
# Each JDK, set of libraries and kind of heap has one: CACHE/classes-KEY/classes-BYTES.jsa. Whoever starts the program and finds
# none creates the folder and has it made in the background, for later starts. A folder without an archive says that it is being
# made, or can't be made; after a day it is tried again. The JVM checks for whom an archive is, and the size is checked here: of
# one that was cut off, JDK 17 dies.

# The archives that are kept.
kept_archives=4

# Sets $archive_flags to those of a JVM with the libraries of a folder.
use_archive() {
  archive_flags=()
  local lib=$1 cache=${STABLECUT_CLASS_CACHE:-} facts key folder archive
  [ "$cache" != off ] || return 0
  if [ -z "$cache" ]; then
    # Classes of an archive are run: it has to be the user's own, not that of the user who called sudo.
    cache=${XDG_CACHE_HOME:-${HOME:-}}
    [ -n "$cache" ] && [ -O "$cache" ] || return 0
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/stablecut
  fi
  # The JVM takes what is behind a colon for another archive.
  [ "${cache#*:}" = "$cache" ] || return 0
  find_heap_options || return 0
  facts=$(stat -L -c '%n %s %Y' -- "$java_home/lib/modules" "$lib"/*.jar 2> /dev/null) || return 0
  # No here-string: for that, older versions of bash need room for a file.
  key=$(printf '%s\n' "$facts ${heap_options[*]-}" | cksum)
  folder=$cache/classes-${key/ /-}
  for archive in "$folder"/classes-*.jsa; do
    if is_whole "$archive"; then
      archive_flags=("-XX:SharedArchiveFile=$archive" '-Xlog:cds*=off')
      return 0
    fi
  done
  make_archive "$lib" "$folder"
}

# Sets $heap_options to those of the JVM that an archive depends on; fails if there are some that say what it does with archives.
find_heap_options() {
  local words word
  heap_options=()
  read -r -d '' -a words <<< "${JAVA_TOOL_OPTIONS:-} ${JDK_JAVA_OPTIONS:-} ${_JAVA_OPTIONS:-}" || :
  for word in ${words[@]+"${words[@]}"}; do
    case $word in
      *Archive* | *AOT* | -Xshare*) return 1 ;;
      -Xmx* | -XX:MaxHeapSize=* | -XX:Max*RAM* | -XX:*UseComp* | -XX:*Use*GC | -XX:ObjectAlignment*) heap_options+=("$word") ;;
    esac
  done
}

# Whether an archive is there and has the size that its name says, and is not somebody else's unless the user has named the place.
is_whole() {
  [ -n "${STABLECUT_CLASS_CACHE:-}" ] || [ -O "$1" ] || return 1
  local bytes=${1##*/classes-}
  [ "$(stat -L -c %s -- "$1" 2> /dev/null)" = "${bytes%.jsa}" ]
}

# Nobody waits for it, nothing is printed, and it takes what others leave.
make_archive() {
  claim_folder "$2" || return 0
  # Not a child of what this process becomes.
  (make_archive_in "$2" "$1" < /dev/null > /dev/null 2>&1 &)
}

# Creates a folder; fails if somebody has it, since less than a day.
claim_folder() {
  (
    umask 022
    mkdir -p -- "${1%/*}" && find "$1" -maxdepth 0 -mmin +1440 -exec rm -rf {} +
    mkdir -- "$1"
  ) 2> /dev/null
}

make_archive_in() {
  local folder=$1 lib=$2 old
  # If the machine is shut down, say, it is tried again at the next start.
  trap 'rm -rf -- "$folder"; exit 1' HUP INT TERM
  umask 022
  # If memory is short, this is what may be ended.
  echo 1000 > /proc/self/oom_score_adj || :
  unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS
  if nice -n 19 "$java" "${jvm_flags[@]}" ${heap_options[@]+"${heap_options[@]}"} -XX:TieredStopAtLevel=1 \
    "-XX:ArchiveClassesAtExit=$folder/made" "-Duser.home=$folder/home" "-Djava.io.tmpdir=$folder" -Dstablecut.log=OFF \
    -cp "$lib/*" io.github.stablecut.cluster.command.Rehearsal "$folder/data" && sync -- "$folder/made"; then
    mv -- "$folder/made" "$folder/classes-$(stat -c %s -- "$folder/made").jsa"
    ls -dt -- "${folder%/*}"/classes-*-* | tail -n "+$((kept_archives + 1))" | while IFS= read -r old; do
      rm -f -- "$old"/classes-*.jsa
      rmdir -- "$old" || :
    done
  fi
  find "$folder" -mindepth 1 ! -name 'classes-*.jsa' -delete
}
