package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.MissingLibrariesException;

/** The libraries that an embedded store needs, and a client of servers lacks. */
public final class StoreLibraries {
  private static final String CAFFEINE = "com/github/benmanes/caffeine/cache/Caffeine.class";

  private StoreLibraries() {}

  /**
   * Checks that they are on the class path; touches no file.
   *
   * @throws MissingLibrariesException if the program contains only the client of servers
   */
  public static void check() {
    if (StoreLibraries.class.getClassLoader().getResource(CAFFEINE) == null) {
      throw new MissingLibrariesException(
          "no store can be opened in this process, because Caffeine is not on its class path, as in"
              + " a program that has stablecut-client only: add stablecut-core, or use"
              + " Stablecut.connect");
    }
  }
}
