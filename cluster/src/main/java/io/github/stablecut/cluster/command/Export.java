package io.github.stablecut.cluster.command;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.exchange.ExportWriter;
import io.github.stablecut.cluster.internal.exchange.Unfinished;
import io.github.stablecut.cluster.terminal.ProgressBar;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./stablecut export}: writes the objects of a store as lines of JSON. */
@Command(
    name = "./stablecut export",
    description = {
      "Writes the objects of a store that nobody has open as lines of JSON, all as of one snapshot.",
      "The file holds values. The past, tokens, and who has the rights of a bounded counter are not"
          + " in it: ./stablecut backup keeps more.",
      "Exit code 0 if the file is complete, 1 if there is none."
    })
public final class Export extends ShellCommand {
  static final String GZIP = ".gz";
  static final int BUFFER_BYTES = 1 << 16;

  @Option(
      names = "--at",
      paramLabel = "TOKEN",
      description = "as the store was then, as long as that is kept; as it is now by default")
  private @Nullable String at;

  @Parameters(index = "0", paramLabel = "DATA", description = "the store")
  private Path data = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description = "what to write, not there yet; compressed if its name ends with " + GZIP)
  private Path file = Path.of("");

  Export() {}

  /**
   * Exports, and ends the process.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Export(), args));
  }

  @Override
  public Integer call() throws IOException {
    try (Unfinished unfinished = Unfinished.file(file);
        Store store = Stablecut.openExisting(data);
        ProgressBar bar = ProgressBar.onStandardError("objects")) {
      Snapshot snapshot = at == null ? store.snapshot() : store.at(CausalToken.parse(at));
      bar.begin("exporting", 0);
      long objects = write(snapshot, unfinished.path(), bar);
      unfinished.complete();
      out()
          .printf(
              "exported %,d objects of %s into %s: %s%n", objects, data, file, snapshot.token());
    }
    return 0;
  }

  private long write(Snapshot snapshot, Path path, ProgressBar bar) throws IOException {
    try (FileChannel channel = FileChannel.open(path, CREATE_NEW, WRITE)) {
      OutputStream plain = Channels.newOutputStream(channel);
      OutputStream out =
          file.toString().endsWith(GZIP)
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
}
