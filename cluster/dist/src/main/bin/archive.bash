# Makes and uses an archive of loaded classes (class-data sharing), with which the JVM starts faster. For bash; sourced
# after java.bash.
#
# Each JDK, set of libraries and kind of heap has one archive: CACHE/classes-KEY/classes-BYTES.jsa. A start that finds
# none makes it in the background, for later starts, in the folder CACHE/classes-KEY/try-NUMBER. Of concurrent starts, the
# one that creates that folder makes the archive. If there is no archive after a day, a start tries again, three times in
# all: a program that runs only for moments, and is ended together with its background processes, never gets one.
#
# The JVM checks that an archive fits its jars by their sizes and times. These may be equal in different jars of a
# reproducible build, so KEY is derived from the contents. CACHE/seen-KEY stores that key until somebody touches the jars.
#
# This script checks the size, because JDK 17 crashes if an archive is truncated. With a damaged archive it crashes or
# hangs, so the JVM verifies the checksums, in 25 ms.

# The number of archives to keep, and of attempts to make one.
kept_archives=4
most_tries=3

# A jar ends with the checksums of its entries. The largest such part of our jars is 1.05 MB.
jar_end_bytes=1200000

# Sets $archive_flags to the flags of a JVM with the libraries of a folder.
use_archive() {
  archive_flags=()
  local lib=$1 cache=${STABLECUT_CLASS_CACHE:-} facts seen key folder
  [ "$cache" != off ] || return 0
  if [ -z "$cache" ]; then
    # The JVM executes an archive's classes, so the cache has to belong to this user, not to the user who called sudo.
    cache=${XDG_CACHE_HOME:-${HOME:-}}
    [ -n "$cache" ] && [ -O "$cache" ] || return 0
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/stablecut
    [ -O "$cache" ] || [ ! -e "$cache" ] || return 0
  fi
  # The JVM interprets the text after a colon as another archive.
  [ "${cache#*:}" = "$cache" ] || return 0
  find_heap_options || return 0
  facts=$(stat -L -c '%n %s %Y %Z %i' -- "$java_home/lib/modules" "$lib"/*.jar 2> /dev/null) || return 0
  # Not a here-string: older versions of bash need disk space for one.
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

# Prints everything that an archive for the libraries of a folder depends on.
print_contents() {
  printf '%s\n' "${heap_options[*]-}" &&
    stat -L -c '%n %s %Y' -- "$java_home/lib/modules" "$1"/*.jar &&
    tail -q -c "$jar_end_bytes" -- "$1"/*.jar
}

# Writes a key to a file, if the file is writable.
remember_key() {
  (
    umask 022
    mkdir -p -- "${1%/*}"
    printf '%s\n' "$2" > "$1"
    keep_newest "${1%/*}"/seen-*
  )
}

# Removes all but the newest of the given files.
keep_newest() {
  ls -dt -- "$@" | tail -n "+$((kept_archives + 1))" | while IFS= read -r old; do rm -f -- "$old"; done
}

# Sets $archive_flags to the flags for the archive in a folder; fails if there is none.
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

# Sets $heap_options to the JVM options that an archive depends on; fails if there are options for archives.
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

# Whether an archive exists and has the size in its name. Unless the user has set the cache, the archive also has to belong
# to the user.
is_whole() {
  [ -n "${STABLECUT_CLASS_CACHE:-}" ] || [ -O "$1" ] || return 1
  local bytes=${1##*/classes-}
  [ "$(stat -L -c %s -- "$1" 2> /dev/null)" = "${bytes%.jsa}" ]
}

# Makes an archive in a folder, silently and at the lowest priority; fails unless it waits for the archive.
make_archive() {
  local try
  try=$(claim_try "$2") || return 1
  if [ -n "${STABLECUT_CLASS_CACHE_WAIT:-}" ]; then
    (make_archive_in "$try" "$1") < /dev/null > /dev/null 2>&1
  else
    # Not a child of the JVM that this process becomes.
    (make_archive_in "$try" "$1" < /dev/null > /dev/null 2>&1 &)
    return 1
  fi
}

# Creates the folder of the next attempt in a folder, and prints its name; fails if it is too early for one, or if another
# start has created the folder.
claim_try() {
  (
    umask 022
    mkdir -p -- "$1"
    number=1
    while [ -d "$1/try-$number" ]; do number=$((number + 1)); done
    if [ "$number" -gt 1 ]; then
      [ -n "$(find "$1/try-$((number - 1))" -maxdepth 0 -mmin +1440)" ] || exit 1
      # The files of attempts that were interrupted.
      find "$1" -mindepth 2 -delete
    fi
    [ "$number" -le "$most_tries" ] && mkdir -- "$1/try-$number" && printf '%s' "$1/try-$number"
  ) 2> /dev/null
}

# Makes an archive in the folder of an attempt, for the libraries of a folder.
make_archive_in() {
  local try=$1 lib=$2 folder=${1%/*} number old
  # Closes what the caller has open, such as a lock.
  for number in /dev/fd/*; do
    number=${number##*/}
    # Bash reads the script through 255.
    case $number in [012] | 255 | *[!0-9]*) ;; *) eval "exec $number>&-" ;; esac
  done
  trap 'find "$try" -mindepth 1 -delete; exit 1' HUP INT TERM
  umask 022
  # If memory is short, the system should end this process first.
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
