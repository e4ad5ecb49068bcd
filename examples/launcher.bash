# How ./stablecut and examples/run start Java: builds first if sources have changed. For bash; sourced, with
# $root set to the project's folder.
. "$root/cluster/dist/src/main/bin/java.bash"

# Maven's profiles for who needs more.
profiles=quick

# The class path of a module that was built.
classes_of() {
  echo "$root/$1/target/quick/classes:$root/$1/target/quick/lib/*"
}

# Whether the module was built from what the sources are now.
is_built() {
  [ -f "$stamp" ] && [ -z "$(find "$root"/pom.xml "$root"/*/pom.xml "$root"/*/src/main "$root"/integrations/*/pom.xml "$root"/integrations/*/src/main "$root/$module/src/main" "$root/$module/pom.xml" -newer "$stamp" -print 2> /dev/null)" ]
}

# Builds a module, and those that it needs, unless it is built; one at a time, where there is flock.
build() {
  module=$1
  target=$root/$module/target/quick
  stamp=$target/built
  is_built && return
  mkdir -p "$target" "$root/target"
  exec 9> "$root/target/building"
  if command -v flock > /dev/null && ! flock -n 9; then
    printf 'Waiting for another build of Stablecut\n' >&2
    flock 9
  fi
  is_built || build_now
  exec 9>&-
}

# Builds the module. A stamp made before the build makes what is edited during it count as newer.
build_now() {
  command -v mvn > /dev/null || fail "there is no mvn to build with: install Maven 3.8.7 or later"
  printf 'Building Stablecut with Maven: about 20 seconds, and some minutes more if dependencies must be fetched.\n' >&2
  rm -rf "$stamp" "$target/lib" "$target/lib-sql"
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
