package io.github.stablecut.checkpoint.internal;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileView;
import io.github.stablecut.checkpoint.FirstTouchReader;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;

/** Counts what is read of the files of a directory. Confined to one thread. */
final class CountedReads {
  private static final int PIECE_SHIFT = 30;

  private final boolean isKept;
  private long bytes;
  private long calls;

  /**
   * @param isKept whether what was read is in memory from then on, so that it is read once
   */
  CountedReads(boolean isKept) {
    this.isKept = isKept;
  }

  long bytes() {
    return bytes;
  }

  /** How many times the disk was asked. */
  long calls() {
    return calls;
  }

  void reset() {
    bytes = 0;
    calls = 0;
  }

  /** A directory whose files are counted from when they are opened. */
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
          public boolean keepsWhatWasRead() {
            return isKept;
          }

          @Override
          public void close() {}
        };
    ByteBuffer[] pieces = {ByteBuffer.wrap(content)};
    return new FileView(pieces, PIECE_SHIFT, length, new FirstTouchReader("run", source, length));
  }
}
