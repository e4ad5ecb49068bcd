package io.github.stablecut.file;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Deletes directory trees. Links are deleted, not followed. */
public final class FileTrees {
  private FileTrees() {}

  /** Deletes a file, or a directory with its contents, if it exists. */
  public static void delete(Path root) throws IOException {
    if (Files.exists(root)) {
      deleteIn(root, true);
    }
  }

  /** Deletes the contents of a directory. */
  public static void clear(Path directory) throws IOException {
    deleteIn(directory, false);
  }

  private static void deleteIn(Path root, boolean includesRoot) throws IOException {
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failed)
              throws IOException {
            if (includesRoot || !visited.equals(root)) {
              Files.delete(visited);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
