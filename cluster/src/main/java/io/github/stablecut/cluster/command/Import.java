package io.github.stablecut.cluster.command;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.StoreOptions;
import io.github.stablecut.cluster.internal.exchange.ImportReader;
import io.github.stablecut.cluster.internal.exchange.Unfinished;
import io.github.stablecut.cluster.terminal.ProgressBar;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ./stablecut import}: makes a store of lines of JSON. */
@Command(
    name = "./stablecut import",
    description = {
      "Makes a store of the objects in a file that ./stablecut export wrote, or something that"
          + " writes the same.",
      "It is a new store. A line that is malformed is named with its number, and no store is made.",
      "Exit code 0 if the store is complete, 1 if there is none."
    })
public final class Import extends ShellCommand {
  private static final int MAX_BYTES = 256 << 20;

  /** Takes whatever another store has taken. */
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withLimits(
              StoreOptions.Limits.defaults()
                  .withTransactionBytes(MAX_BYTES)
                  .withValueBytes(MAX_BYTES));

  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "what to read; compressed if its name ends with " + Export.GZIP)
  private Path file = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "DATA",
      description = "where the store is to be: an empty directory, or none")
  private Path data = Path.of("");

  Import() {}

  /**
   * Imports, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Import(), args));
  }

  @Override
  public Integer call() throws IOException {
    long objects;
    try (FileChannel channel = FileChannel.open(file);
        Unfinished unfinished = Unfinished.directory(data);
        ProgressBar bar = ProgressBar.onStandardError("objects")) {
      bar.begin("importing", 0);
      long size = Math.max(1, channel.size());
      objects = read(channel, unfinished.path(), done -> bar.update(done, fraction(channel, size)));
      unfinished.complete();
    }
    out().printf("imported %,d objects of %s into %s%n", objects, file, data);
    return 0;
  }

  private static double fraction(FileChannel channel, long size) {
    try {
      return (double) channel.position() / size;
    } catch (IOException e) {
      return -1;
    }
  }

  private long read(FileChannel channel, Path store, LongConsumer progress) throws IOException {
    InputStream plain = Channels.newInputStream(channel);
    InputStream in = file.toString().endsWith(Export.GZIP) ? decompressed(plain) : plain;
    try (Store made = Stablecut.open(store, OPTIONS)) {
      return ImportReader.read(in, made, progress);
    }
  }

  private InputStream decompressed(InputStream compressed) throws IOException {
    try {
      return new GZIPInputStream(compressed, Export.BUFFER_BYTES);
    } catch (ZipException | EOFException e) {
      throw new IOException(file + " is not compressed by gzip, as its name says", e);
    }
  }
}
