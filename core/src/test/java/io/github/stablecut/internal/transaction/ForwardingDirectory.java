package io.github.stablecut.internal.transaction;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileAppender;
import io.github.stablecut.checkpoint.FileView;
import java.io.IOException;
import java.util.List;

/** A directory that forwards all calls, so that subclasses can inject faults. */
public class ForwardingDirectory implements Directory {
  private final Directory to;

  /** To be subclassed. */
  public ForwardingDirectory(Directory to) {
    this.to = to;
  }

  @Override
  public List<String> list() throws IOException {
    return to.list();
  }

  @Override
  public String pathOf(String name) {
    return to.pathOf(name);
  }

  @Override
  public FileAppender create(String name) throws IOException {
    return to.create(name);
  }

  @Override
  public FileView view(String name) throws IOException {
    return to.view(name);
  }

  @Override
  public void rename(String from, String target) throws IOException {
    to.rename(from, target);
  }

  @Override
  public void delete(String name) throws IOException {
    to.delete(name);
  }

  @Override
  public void force() throws IOException {
    to.force();
  }

  @Override
  public long usableBytes() throws IOException {
    return to.usableBytes();
  }
}
