package io.github.stablecut.cluster.command;

import static java.nio.file.StandardOpenOption.WRITE;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.exchange.ExportWriter;
import io.github.stablecut.cluster.internal.exchange.ImportReader;
import io.github.stablecut.cluster.internal.exchange.UnfinishedFile;
import io.github.stablecut.cluster.terminal.ProgressBar;
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

/** An export: a file of JSON lines, compressed if its name ends with {@value #GZIP}. */
public final class ExchangeFile {
  public static final String GZIP = ".gz";

  private static final int BUFFER_BYTES = 1 << 16;
  private static final int MAX_BYTES = 256 << 20;

  private final Path file;

  public ExchangeFile(Path file) {
    this.file = file;
  }

  /** Options of a store to import into: it accepts whatever another store has accepted. */
  public static StoreOptions options() {
    return StoreOptions.defaults()
        .withLimits(
            StoreOptions.Limits.defaults()
                .withTransactionBytes(MAX_BYTES)
                .withValueBytes(MAX_BYTES));
  }

  /**
   * The result of an export.
   *
   * @param objects the number of exported objects
   * @param token the token of the snapshot
   */
  public record ExportResult(long objects, CausalToken token) {
    /** This result as JSON. */
    public ObjectNode json(Path file) {
      ObjectNode facts = JsonNodeFactory.instance.objectNode();
      facts.put("file", file.toString());
      facts.put("objects", objects);
      facts.put("time", token.time().toString());
      return facts.put("token", token.toText());
    }
  }

  /** Writes lines, and returns their number. */
  @FunctionalInterface
  private interface Lines {
    long write(OutputStream out, ProgressBar bar) throws IOException, InterruptedException;
  }

  /** Exports all objects of a snapshot; the file appears when it is complete. */
  public ExportResult write(Snapshot snapshot) throws IOException {
    try {
      long objects =
          write((out, bar) -> ExportWriter.write(snapshot, out, done -> bar.update(done, -1)));
      return new ExportResult(objects, snapshot.token());
    } catch (InterruptedException e) {
      throw new AssertionError("exporting a snapshot does not wait", e);
    }
  }

  /** Downloads an export from a server; the file appears when it is complete. */
  ExportResult download(AdminPort port, String path) throws IOException, InterruptedException {
    String[] token = {""};
    long[] lines = {0};
    long objects =
        write(
            (out, bar) -> {
              token[0] =
                  port.download(
                      path,
                      "Stablecut-Token",
                      in -> {
                        byte[] buffer = new byte[BUFFER_BYTES];
                        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                          out.write(buffer, 0, read);
                          lines[0] += newLines(buffer, read);
                          bar.update(lines[0], -1);
                        }
                      });
              return lines[0];
            });
    return new ExportResult(objects, CausalToken.parse(token[0]));
  }

  private static long newLines(byte[] bytes, int length) {
    long count = 0;
    for (int i = 0; i < length; i++) {
      count += bytes[i] == '\n' ? 1 : 0;
    }
    return count;
  }

  private long write(Lines lines) throws IOException, InterruptedException {
    try (UnfinishedFile unfinished = UnfinishedFile.file(file);
        ProgressBar bar = ProgressBar.onStandardError("objects")) {
      bar.begin("exporting", 0);
      long objects = write(lines, unfinished.path(), bar);
      unfinished.complete();
      return objects;
    }
  }

  private long write(Lines lines, Path path, ProgressBar bar)
      throws IOException, InterruptedException {
    try (FileChannel channel = FileChannel.open(path, WRITE)) {
      OutputStream plain = Channels.newOutputStream(channel);
      OutputStream out =
          isCompressed()
              ? new GZIPOutputStream(plain, BUFFER_BYTES)
              : new BufferedOutputStream(plain, BUFFER_BYTES);
      long objects = lines.write(out, bar);
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
   * Imports all objects into an empty store.
   *
   * @param stage the label of the progress bar
   * @return the number of lines
   */
  @CanIgnoreReturnValue
  public long read(Store store, String stage) throws IOException {
    try (FileChannel channel = FileChannel.open(file);
        ProgressBar bar = ProgressBar.onStandardError("objects")) {
      bar.begin(stage, 0);
      long size = Math.max(1, channel.size());
      InputStream plain = Channels.newInputStream(channel);
      InputStream in = isCompressed() ? decompressed(plain) : plain;
      return ImportReader.read(in, store, done -> bar.update(done, fraction(channel, size)));
    }
  }

  /** The number of objects of a store that an export would write. */
  public static long count(Store store) {
    try (Scan scan = store.snapshot().scan()) {
      return scan.stream().count();
    }
  }

  /** The result of an import, as JSON. */
  public ObjectNode json(long lines, long objects) {
    ObjectNode facts = JsonNodeFactory.instance.objectNode();
    facts.put("file", file.toString());
    facts.put("lines", lines);
    return facts.put("objects", objects);
  }

  /**
   * The message of an import: the number of objects, and why it may differ from that of the lines.
   *
   * @param lines the number of lines read
   * @param objects the number of objects in the target
   * @param target the store or cluster that was imported into
   */
  public String imported(long lines, long objects, Object target) {
    String message = "imported %,d objects of %s into %s".formatted(objects, file, target);
    return objects == lines
        ? message
        : message
            + "; %,d more lines describe objects without any operation, which leave nothing in a store"
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
      throw new IOException(
          file + " is not compressed with gzip, although its name ends with .gz", e);
    }
  }
}
