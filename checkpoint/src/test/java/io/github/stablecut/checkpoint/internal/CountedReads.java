package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileView;
import io.github.stablecut.checkpoint.FirstTouchReader;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;

/** Counts the reads of the files of a directory. Confined to one thread. */
final class CountedReads {
  private static final int PIECE_SHIFT = 30;

  private final boolean isKept;
  private long bytes;
  private long calls;

  /**
   * @param isKept whether bytes stay in memory once read, and are therefore read once
   */
  CountedReads(boolean isKept) {
    this.isKept = isKept;
  }

  long bytes() {
    return bytes;
  }

  /** The number of reads. */
  long calls() {
    return calls;
  }

  void reset() {
    bytes = 0;
    calls = 0;
  }

  /** A directory whose files count reads from their opening on. */
  Directory in(LossyDirectory directory) {
    return (Directory)
        Proxy.newProxyInstance(
            Directory.class.getClassLoader(),
            new Class<?>[] {Directory.class},
            (proxy, method, arguments) -> {
              try {
                Object answer = method.invoke(directory, arguments);
                return answer instanceof FileView file ? counting(file) : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private FileView counting(FileView file) {
    int length = (int) file.length();
    byte[] content = file.get(0, length);
    FirstTouchReader.Source source =
        new FirstTouchReader.Source() {
          @Override
          public int read(ByteBuffer target, long at) {
            int count = target.remaining();
            target.put(content, (int) at, count);
            bytes += count;
            calls++;
            return count;
          }

          @Override
          public boolean staysInMemory() {
            return isKept;
          }

          @Override
          public void close() {}
        };
    ByteBuffer[] pieces = {ByteBuffer.wrap(content)};
    return new FileView(pieces, PIECE_SHIFT, length, new FirstTouchReader("run", source, length));
  }
}
