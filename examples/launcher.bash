# How ./stablecut and examples/run start Java: builds first if sources have changed, finds a JDK, sets
# the flags. For bash; sourced, with $root set to the project's folder.

# Who needs more than the examples need sets another module before it builds.
module=examples
# Maven's profiles for it.
profiles=quick

# Says what is wrong and ends.
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit 1
}

# Sets $java to the JDK's launcher.
find_java() {
  java=java
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || fail "JAVA_HOME is $JAVA_HOME, and there is no bin/java in it: set it to a JDK 17 or later"
  fi
  command -v "$java" > /dev/null || fail "there is no java: install a JDK 17 or later, or set JAVA_HOME"
}

# Whether the program was built from what the sources are now.
is_built() {
  [ -f "$stamp" ] && [ -z "$(find "$root"/pom.xml "$root"/*/pom.xml "$root"/*/src/main "$root/$module/src/main" "$root/$module/pom.xml" -newer "$stamp" -print 2> /dev/null)" ]
}

# Builds the program unless it is built; one at a time, where there is flock.
build() {
  target=$root/$module/target/quick
  stamp=$target/built
  is_built && return
  mkdir -p "$target"
  exec 9> "$target/lock"
  if command -v flock > /dev/null && ! flock -n 9; then
    printf 'Waiting for another build of Stablecut\n' >&2
    flock 9
  fi
  is_built || build_now
  exec 9>&-
}

# Builds the program. A stamp made before the build makes what is edited during it count as newer.
build_now() {
  command -v mvn > /dev/null || fail "there is no mvn to build with: install Maven 3.8.7 or later"
  printf 'Building Stablecut with Maven: about 20 seconds, and some minutes more if dependencies must be fetched.\n' >&2
  rm -rf "$stamp" "$target/lib"
  local begun
  begun=$(mktemp)
  # Maven's words go to standard error, because standard output is the program's, and without the escapes
  # that it prints even if it is told not to.
  if ! mvn -q -B -f "$root/pom.xml" -pl "$module" -am "-P$profiles" package < /dev/null 2>&1 | sed $'s/\033\\[0m//g' >&2; then
    rm -f "$begun"
    fail "the build has failed: Maven's messages are above"
  fi
  mv "$begun" "$stamp"
}

# Becomes the JVM that runs a main class with arguments.
run_java() {
  local flags=(
    # Later JDKs know flags that JDK 17 does not; see io.github.stablecut.journal.JvmFlags.
    -XX:+IgnoreUnrecognizedVMOptions
    --add-opens=java.base/java.lang.reflect=ALL-UNNAMED
    --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
    --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED
    --enable-native-access=ALL-UNNAMED
    --sun-misc-unsafe-memory-access=allow
    -Dstablecut.log=ERROR
  )
  [ -t 1 ] && flags+=(-Dstablecut.stdout=terminal)
  [ -t 2 ] && flags+=(-Dstablecut.stderr=terminal)
  # Without any locale the JVM can't name files beyond ASCII.
  [ -n "${LC_ALL:-}${LC_CTYPE:-}${LANG:-}" ] || export LC_CTYPE=C.UTF-8
  # Classes of users, such as types of objects for serve.
  exec "$java" "${flags[@]}" -cp "$target/classes:$target/lib/*${STABLECUT_CLASSPATH:+:$STABLECUT_CLASSPATH}" "$@"
}
