package io.github.stablecut.web.testing;

import java.nio.file.Path;

/** The directory of screenshots: target, or the value of the property stablecut.images. */
public final class Pictures {
  private static final Path FOLDER =
      Path.of(System.getProperty("stablecut.images", "target/images"));

  private Pictures() {}

  /** The file of a screenshot. */
  public static Path file(String name) {
    return FOLDER.resolve(name + ".png");
  }
}
