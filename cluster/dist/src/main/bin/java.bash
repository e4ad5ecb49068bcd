# Finds Java and starts it as Stablecut needs it. For bash; sourced.

# Says what is wrong and ends.
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit 1
}

# Sets $java to the JDK's launcher, and $java_home to its folder.
find_java() {
  java=java
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || fail "JAVA_HOME is $JAVA_HOME, and there is no bin/java in it: set it to a JDK 17 or later"
  fi
  command -v "$java" > /dev/null || fail "there is no java: install a JDK 17 or later, or set JAVA_HOME"
  java_home=$(readlink -f -- "$(command -v "$java")")
  java_home=${java_home%/*/*}
  local version
  version=$(java_version)
  [ -z "$version" ] || [ "$version" -ge 17 ] || fail "$(command -v "$java") is Java $version: install a JDK 17 or later, or set JAVA_HOME"
}

# The version that the JDK's file says, without a start of Java; nothing if there is no such file.
java_version() {
  [ -r "$java_home/release" ] || return 0
  sed -n 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' "$java_home/release"
}

# What every JVM gets.
jvm_flags=(
  # Later JDKs know flags that JDK 17 does not; see io.github.stablecut.journal.JvmFlags.
  -XX:+IgnoreUnrecognizedVMOptions
  --add-opens=java.base/java.lang.reflect=ALL-UNNAMED
  --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
  --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED
  --enable-native-access=ALL-UNNAMED
  --sun-misc-unsafe-memory-access=allow
)

# Becomes the JVM that runs a main class with arguments: run_java CLASSPATH [FLAGS...] CLASS [ARGS...]
run_java() {
  local classpath=$1
  shift
  local flags=("${jvm_flags[@]}")
  [ -t 1 ] && flags+=(-Dstablecut.stdout=terminal)
  [ -t 2 ] && flags+=(-Dstablecut.stderr=terminal "-Dstablecut.columns=$(stty size <&2 2> /dev/null | cut -d ' ' -f 2)")
  # With the locale of POSIX, which also stands for one that is not installed, the JVM can't take arguments beyond ASCII.
  local letter=$'\xc5\xbc'
  if [ ${#letter} -ne 1 ]; then
    case $(locale charmap 2> /dev/null) in
      ANSI_X3.4-1968 | US-ASCII | '') export LC_ALL=C.UTF-8 ;;
    esac
  fi
  # Classes of users, such as types of objects for serve.
  exec "$java" "${flags[@]}" -cp "$classpath${STABLECUT_CLASSPATH:+:$STABLECUT_CLASSPATH}" "$@"
}

# Becomes the program stablecut: run_stablecut CLASSPATH [FLAGS...] -- COMMAND [ARGS...]
run_stablecut() {
  local start=()
  while [ "$1" != -- ]; do
    start+=("$1")
    shift
  done
  shift
  # A server without the thread that ran out of memory would be half a server: it ends, and is started again.
  [ "${1:-}" = serve ] && start+=(-XX:+ExitOnOutOfMemoryError)
  run_java "${start[@]}" io.github.stablecut.cluster.command.Main "$@"
}
