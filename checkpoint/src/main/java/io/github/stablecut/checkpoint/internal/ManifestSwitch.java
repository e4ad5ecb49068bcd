package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileAppender;
import io.github.stablecut.checkpoint.Layout;
import io.github.stablecut.checkpoint.Manifest;
import java.io.IOException;

/**
 * The switch from one manifest to the next: steps 3 to 7 of a change, as {@link Layout} has them.
 */
public final class ManifestSwitch {
  private ManifestSwitch() {}

  /** Steps 3 to 5: until the end of this, and after a failure, the old manifest counts. */
  public static void prepare(Directory directory, Manifest next) throws IOException {
    write(directory, Layout.manifest(next.number()), ManifestFormat.encode(next));
    if (directory.list().contains(Layout.NEXT_CURRENT)) {
      directory.delete(Layout.NEXT_CURRENT);
    }
    write(directory, Layout.NEXT_CURRENT, Layout.current(next.number()));
    directory.force();
  }

  /** Steps 6 and 7: after a failure nobody knows which manifest counts. */
  public static void complete(Directory directory) throws IOException {
    directory.rename(Layout.NEXT_CURRENT, Layout.CURRENT);
    directory.force();
  }

  private static void write(Directory directory, String name, byte[] content) throws IOException {
    try (FileAppender file = directory.create(name)) {
      file.append(content, 0, content.length);
      file.force();
    }
  }
}
