package io.github.stablecut.web.testing;

import java.nio.file.Path;

/** Where pictures of pages go: into target, or to where the property stablecut.images says. */
public final class Pictures {
  private static final Path FOLDER =
      Path.of(System.getProperty("stablecut.images", "target/images"));

  private Pictures() {}

  /** The file of a picture. */
  public static Path file(String name) {
    return FOLDER.resolve(name + ".png");
  }
}
