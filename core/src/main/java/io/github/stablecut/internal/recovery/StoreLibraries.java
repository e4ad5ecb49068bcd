package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.MissingLibrariesException;

/** The libraries that an embedded store needs, and a client of servers or a module may lack. */
public final class StoreLibraries {
  private StoreLibraries() {}

  /**
   * Checks that they are on the class path, or are modules that the program requires; touches no
   * file.
   *
   * @throws MissingLibrariesException if one is missing
   */
  public static void check() {
    check(
        "com/github/benmanes/caffeine/cache/Caffeine.class",
        "Caffeine",
        "com.github.benmanes.caffeine");
    check("org/slf4j/Logger.class", "SLF4J", "org.slf4j");
  }

  private static void check(String resource, String library, String module) {
    if (StoreLibraries.class.getClassLoader().getResource(resource) == null) {
      throw new MissingLibrariesException(
          "no store can be opened in this process, because "
              + library
              + " is missing: add stablecut-core to the class path, or use Stablecut.connect if the"
              + " program is to have stablecut-client only; a module has to require "
              + module);
    }
  }
}
