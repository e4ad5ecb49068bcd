package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The directory of a node's part of the configuration register. Confined to one thread at a time.
 */
public final class RegisterDirectory {
  static final String NAME = "register";

  private final Path node;
  private final DirectoryLock lock;

  /**
   * @param node the node's directory
   * @param lock the lock on it
   */
  RegisterDirectory(Path node, DirectoryLock lock) {
    this.node = node;
    this.lock = lock;
  }

  /** Its path, whether or not it exists. */
  public Path path() {
    return node.resolve(NAME);
  }

  /** Whether it exists. */
  public boolean exists() {
    return Files.isDirectory(path());
  }

  /**
   * Checks that it exists, if the node was opened before and keeps a part of the register.
   *
   * @throws CorruptStoreException if it is missing, because the node's votes are unknown
   */
  public void check(NodePlan plan) {
    if (plan.registerNodes().contains(plan.name()) && NodeDirectory.wasOpened(node) && !exists()) {
      throw new CorruptStoreException(
          "%s is missing, and with it the node's votes: restore it, or start the node with an empty directory"
              .formatted(path()));
    }
  }

  /**
   * Creates it durably, before a plan assigns a part of the register to the node.
   *
   * @param mark the name of a file in it that states how it began
   */
  public void create(String mark) throws IOException {
    lock.check();
    Path made = node.resolve(NAME + ".new");
    FileTrees.delete(made);
    PrivateFiles.createDirectories(made);
    PrivateFiles.replace(made, mark, CheckedText.seal("stablecut register\n"));
    Files.move(made, path(), StandardCopyOption.ATOMIC_MOVE);
    PrivateFiles.forceDirectory(node);
  }
}
