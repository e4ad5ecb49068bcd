package io.github.stablecut.cluster.command;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.exchange.ExportWriter;
import io.github.stablecut.cluster.internal.exchange.ImportReader;
import io.github.stablecut.cluster.internal.exchange.Unfinished;
import io.github.stablecut.cluster.terminal.ProgressBar;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.option.StoreOptions;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;

/** A file of lines of JSON; compressed if its name ends with {@value #GZIP}. */
final class ExchangeFile {
  static final String GZIP = ".gz";

  private static final int BUFFER_BYTES = 1 << 16;
  private static final int MAX_BYTES = 256 << 20;

  private final Path file;

  ExchangeFile(Path file) {
    this.file = file;
  }

  /** Of stores that are read into: they take whatever another store has taken. */
  static StoreOptions options() {
    return StoreOptions.defaults()
        .withLimits(
            StoreOptions.Limits.defaults()
                .withTransactionBytes(MAX_BYTES)
                .withValueBytes(MAX_BYTES));
  }

  /**
   * Writes all objects; the file is there wholly, or not at all.
   *
   * @return how many there were
   */
  long write(Snapshot snapshot) throws IOException {
    try (Unfinished unfinished = Unfinished.file(file);
        ProgressBar bar = ProgressBar.onStandardError("objects")) {
      bar.begin("exporting", 0);
      long objects = write(snapshot, unfinished.path(), bar);
      unfinished.complete();
      return objects;
    }
  }

  private long write(Snapshot snapshot, Path path, ProgressBar bar) throws IOException {
    try (FileChannel channel = PrivateFiles.open(path, CREATE_NEW, WRITE)) {
      OutputStream plain = Channels.newOutputStream(channel);
      OutputStream out =
          isCompressed()
              ? new GZIPOutputStream(plain, BUFFER_BYTES)
              : new BufferedOutputStream(plain, BUFFER_BYTES);
      long objects = ExportWriter.write(snapshot, out, written -> bar.update(written, -1));
      if (out instanceof GZIPOutputStream compressed) {
        compressed.finish();
      }
      out.flush();
      channel.force(true);
      return objects;
    }
  }

  private boolean isCompressed() {
    return file.toString().endsWith(GZIP);
  }

  /**
   * Reads all objects into a store that holds nothing.
   *
   * @param stage what is told of the progress
   * @return how many there were
   */
  long read(Store store, String stage) throws IOException {
    try (FileChannel channel = FileChannel.open(file);
        ProgressBar bar = ProgressBar.onStandardError("objects")) {
      bar.begin(stage, 0);
      long size = Math.max(1, channel.size());
      InputStream plain = Channels.newInputStream(channel);
      InputStream in = isCompressed() ? decompressed(plain) : plain;
      return ImportReader.read(in, store, done -> bar.update(done, fraction(channel, size)));
    }
  }

  /**
   * What an import says: how many objects there are now, which an export would write, and what
   * became of the other lines.
   *
   * @param lines how many were read
   * @param store that had nothing before
   * @param target where it is
   */
  String imported(long lines, Store store, Object target) {
    long objects;
    try (Scan scan = store.snapshot().scan()) {
      objects = scan.stream().count();
    }
    String words = "imported %,d objects of %s into %s".formatted(objects, file, target);
    return objects == lines
        ? words
        : words
            + "; %,d more lines are of objects that nothing was done to, and leave nothing"
                .formatted(lines - objects);
  }

  private static double fraction(FileChannel channel, long size) {
    try {
      return (double) channel.position() / size;
    } catch (IOException e) {
      return -1;
    }
  }

  private InputStream decompressed(InputStream compressed) throws IOException {
    try {
      return new GZIPInputStream(compressed, BUFFER_BYTES);
    } catch (ZipException | EOFException e) {
      throw new IOException(file + " is not compressed by gzip, as its name says", e);
    }
  }
}
