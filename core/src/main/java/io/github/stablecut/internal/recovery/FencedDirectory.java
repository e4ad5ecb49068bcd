package io.github.stablecut.internal.recovery;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileAppender;
import io.github.stablecut.checkpoint.FileView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Checkpoint files, fenced by the lock of the store's directory: a process that has lost the lock
 * creates, renames and deletes nothing, so that it can't replace the next owner's manifest. As
 * thread-safe as the directory.
 */
public final class FencedDirectory implements Directory {
  private final Directory directory;
  private final DirectoryLock lock;

  /** The files of checkpoints in a locked directory. */
  public FencedDirectory(Directory directory, DirectoryLock lock) {
    this.directory = directory;
    this.lock = lock;
  }

  @Override
  public List<String> list() throws IOException {
    return directory.list();
  }

  @Override
  public String pathOf(String name) {
    return directory.pathOf(name);
  }

  @Override
  public FileAppender create(String name) throws IOException {
    lock.check();
    return directory.create(name);
  }

  @Override
  public FileView view(String name) throws IOException {
    return directory.view(name);
  }

  @Override
  public boolean link(String name, Path target) {
    return directory.link(name, target);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    lock.check();
    directory.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    lock.check();
    directory.delete(name);
  }

  @Override
  public void force() throws IOException {
    directory.force();
  }

  @Override
  public long usableBytes() throws IOException {
    return directory.usableBytes();
  }
}
