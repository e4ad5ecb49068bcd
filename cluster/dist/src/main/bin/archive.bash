# An archive of loaded classes (class-data sharing), with which the JVM starts faster. For bash; sourced, after java.bash.
#
# Each JDK, set of libraries and kind of heap has one: CACHE/classes-KEY/classes-BYTES.jsa. Whoever starts the program and finds
# none has it made in the background, for later starts, in CACHE/classes-KEY/try-NUMBER: who creates that folder has the turn. If
# there is no archive after a day, it is tried again, three times in all: what runs only for moments, and is ended with all that it
# started, never gets one. The JVM checks for whom an archive is, by sizes and times, which are the same of all jars that a
# reproducible build makes; KEY is by contents. CACHE/seen-KEY says what that is as long as nobody has touched the jars. The size is
# checked here: of an archive that was cut off, JDK 17 dies. With one that is damaged it dies or hangs, so that it verifies the
# checksums, in 25 ms.

# The archives that are kept, and how often one is tried.
kept_archives=4
most_tries=3

# A jar has the checksums of all that is in it at its end. The most of any of ours is 1.05 MB.
jar_end_bytes=1200000

# Sets $archive_flags to those of a JVM with the libraries of a folder.
use_archive() {
  archive_flags=()
  local lib=$1 cache=${STABLECUT_CLASS_CACHE:-} facts seen key folder
  [ "$cache" != off ] || return 0
  if [ -z "$cache" ]; then
    # Classes of an archive are run: it has to be the user's own, not that of the user who called sudo.
    cache=${XDG_CACHE_HOME:-${HOME:-}}
    [ -n "$cache" ] && [ -O "$cache" ] || return 0
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/stablecut
    [ -O "$cache" ] || [ ! -e "$cache" ] || return 0
  fi
  # The JVM takes what is behind a colon for another archive.
  [ "${cache#*:}" = "$cache" ] || return 0
  find_heap_options || return 0
  facts=$(stat -L -c '%n %s %Y %Z %i' -- "$java_home/lib/modules" "$lib"/*.jar 2> /dev/null) || return 0
  # No here-string: for that, older versions of bash need room for a file.
  seen=$(printf '%s\n' "$facts ${heap_options[*]-}" | cksum)
  seen=$cache/seen-${seen/ /-}
  if ! read -r key 2> /dev/null < "$seen"; then
    key=$(print_contents "$lib" 2> /dev/null | cksum) || return 0
    key=${key/ /-}
    remember_key "$seen" "$key" 2> /dev/null || :
  fi
  folder=$cache/classes-$key
  find_archive "$folder" || { make_archive "$lib" "$folder" && find_archive "$folder"; } || :
}

# What an archive for libraries depends on.
print_contents() {
  printf '%s\n' "${heap_options[*]-}" &&
    stat -L -c '%n %s %Y' -- "$java_home/lib/modules" "$1"/*.jar &&
    tail -q -c "$jar_end_bytes" -- "$1"/*.jar
}

# Writes a key to a file, if that can be written to.
remember_key() {
  (
    umask 022
    mkdir -p -- "${1%/*}"
    printf '%s\n' "$2" > "$1"
    keep_newest "${1%/*}"/seen-*
  )
}

# Removes all of some files but the newest.
keep_newest() {
  ls -dt -- "$@" | tail -n "+$((kept_archives + 1))" | while IFS= read -r old; do rm -f -- "$old"; done
}

# Sets $archive_flags to those for the archive in a folder; fails if there is none.
find_archive() {
  local archive
  for archive in "$1"/classes-*.jsa; do
    if is_whole "$archive"; then
      archive_flags=("-XX:SharedArchiveFile=$archive" -XX:+VerifySharedSpaces '-Xlog:cds*=off')
      return 0
    fi
  done
  return 1
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

# Nothing is printed, and it takes what others leave. Fails unless it was waited for.
make_archive() {
  local try
  try=$(claim_try "$2") || return 1
  if [ -n "${STABLECUT_CLASS_CACHE_WAIT:-}" ]; then
    (make_archive_in "$try" "$1") < /dev/null > /dev/null 2>&1
  else
    # Not a child of what this process becomes.
    (make_archive_in "$try" "$1" < /dev/null > /dev/null 2>&1 &)
    return 1
  fi
}

# Creates the folder of the next try in a folder, and prints it; fails if it is not time for one, or somebody else has created it.
claim_try() {
  (
    umask 022
    mkdir -p -- "$1"
    number=1
    while [ -d "$1/try-$number" ]; do number=$((number + 1)); done
    if [ "$number" -gt 1 ]; then
      [ -n "$(find "$1/try-$((number - 1))" -maxdepth 0 -mmin +1440)" ] || exit 1
      # What was ended meanwhile.
      find "$1" -mindepth 2 -delete
    fi
    [ "$number" -le "$most_tries" ] && mkdir -- "$1/try-$number" && printf '%s' "$1/try-$number"
  ) 2> /dev/null
}

make_archive_in() {
  local try=$1 lib=$2 folder=${1%/*} number old
  # What the caller has open is not held, such as a lock.
  for number in /dev/fd/*; do
    number=${number##*/}
    # With 255, bash reads the script.
    case $number in [012] | 255 | *[!0-9]*) ;; *) eval "exec $number>&-" ;; esac
  done
  trap 'find "$try" -mindepth 1 -delete; exit 1' HUP INT TERM
  umask 022
  # If memory is short, this is what may be ended.
  echo 1000 > /proc/self/oom_score_adj || :
  unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS
  if nice -n 19 "$java" "${jvm_flags[@]}" ${heap_options[@]+"${heap_options[@]}"} -XX:TieredStopAtLevel=1 \
    "-XX:ArchiveClassesAtExit=$try/made" -XX:+VerifySharedSpaces "-Duser.home=$try/home" "-Djava.io.tmpdir=$try" -Dstablecut.log=OFF \
    -cp "$lib/*" io.github.stablecut.cluster.command.Rehearsal "$try/data" && sync -- "$try/made"; then
    rm -f -- "$folder"/classes-*.jsa
    mv -- "$try/made" "$folder/classes-$(stat -c %s -- "$try/made").jsa"
    ls -dt -- "${folder%/*}"/classes-*-* | tail -n "+$((kept_archives + 1))" | while IFS= read -r old; do
      rm -f -- "$old"/classes-*.jsa
      rmdir -- "$old"/try-* "$old" || :
    done
  fi
  find "$try" -mindepth 1 -delete
}
