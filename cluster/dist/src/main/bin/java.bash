# Finds Java and starts it with the flags with which the journal uses Chronicle Queue. For bash; sourced.

# Prints an error and exits with code 1.
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit 1
}

# Sets $java to the JDK's launcher, and $java_home to the JDK's folder.
find_java() {
  java=java
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || fail "JAVA_HOME is $JAVA_HOME, which has no bin/java: set it to a JDK 17 or later"
  fi
  command -v "$java" > /dev/null || fail "java was not found: install a JDK 17 or later, or set JAVA_HOME"
  java_home=$(readlink -f -- "$(command -v "$java")")
  java_home=${java_home%/*/*}
  local version
  version=$(java_version)
  [ -z "$version" ] || [ "$version" -ge 17 ] || fail "$(command -v "$java") is Java $version: install a JDK 17 or later, or set JAVA_HOME"
}

# Prints the version in the JDK's release file, without starting Java; nothing if there is no such file.
java_version() {
  [ -r "$java_home/release" ] || return 0
  sed -n 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' "$java_home/release"
}

# The flags of every JVM.
jvm_flags=(
  # JDK 17 does not know some of the flags for later JDKs; see io.github.stablecut.journal.JvmFlags.
  -XX:+IgnoreUnrecognizedVMOptions
  --add-opens=java.base/java.lang.reflect=ALL-UNNAMED
  --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
  --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED
  --enable-native-access=ALL-UNNAMED
  --sun-misc-unsafe-memory-access=allow
)

# Replaces this process by a JVM that runs a main class with arguments: run_java CLASSPATH [FLAGS...] CLASS [ARGS...]
run_java() {
  local classpath=$1
  shift
  local flags=("${jvm_flags[@]}")
  [ -t 1 ] && flags+=(-Dstablecut.stdout=terminal)
  [ -t 2 ] && flags+=(-Dstablecut.stderr=terminal "-Dstablecut.columns=$(stty size <&2 2> /dev/null | cut -d ' ' -f 2)")
  # In the POSIX locale, which also replaces a locale that is not installed, the JVM accepts only ASCII arguments.
  local letter=$'\xc5\xbc'
  if [ ${#letter} -ne 1 ]; then
    case $(locale charmap 2> /dev/null) in
      ANSI_X3.4-1968 | US-ASCII | '') export LC_ALL=C.UTF-8 ;;
    esac
  fi
  # STABLECUT_CLASSPATH has users' classes, such as types of objects for serve.
  exec "$java" "${flags[@]}" -cp "$classpath${STABLECUT_CLASSPATH:+:$STABLECUT_CLASSPATH}" "$@"
}

# Replaces this process by the program stablecut: run_stablecut CLASSPATH [FLAGS...] -- COMMAND [ARGS...]
run_stablecut() {
  local start=()
  while [ "$1" != -- ]; do
    start+=("$1")
    shift
  done
  shift
  # A server that lost a thread to lack of memory would serve only partly, so it exits and is started again.
  [ "${1:-}" = serve ] && start+=(-XX:+ExitOnOutOfMemoryError)
  run_java "${start[@]}" io.github.stablecut.cluster.command.Main "$@"
}

# Replaces this process by the command sql, which has a class path of its own: run_sql CLASSPATH [ARGS...]
run_sql() {
  run_java "$1" io.github.stablecut.sql.SqlCommand "${@:2}"
}
