package io.github.stablecut.cluster.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.Store;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.tools.PointInTime;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stablecut export}: exports the objects of a store as JSON lines. */
@Command(
    name = "stablecut export",
    description = {
      "Exports the objects of a directory that no process has open, or with --url those of a"
          + " running server, as JSON lines, at one snapshot.",
      "The file has values only: no history, no tokens, and no rights of bounded counters. A backup"
          + " (stablecut backup) keeps these.",
      "Exit code 0 if the file is complete, 1 if the export failed."
    })
public final class Export extends ShellCommand {
  @Option(
      names = "--at",
      paramLabel = "TIME|TOKEN",
      description =
          "export the state of this time, such as 2026-11-22T09:50Z, if it is still retained;"
              + " default: the current state")
  private @Nullable String at;

  @Mixin private AdminPort port = new AdminPort();

  @Option(names = "--json", description = "print the result as a line of JSON")
  private boolean json;

  @Parameters(
      arity = "1..2",
      paramLabel = "DATA FILE",
      description =
          "directory of the store (omit it with --url), and the file to write, which must not"
              + " exist; compressed if its name ends with "
              + ExchangeFile.GZIP)
  private List<Path> paths = List.of();

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
  public Integer call() throws IOException, InterruptedException {
    Optional<Path> data = directory(paths, 1);
    if (at != null) {
      PointInTime.check(at);
    }
    Path file = paths.get(paths.size() - 1);
    ExchangeFile.ExportResult written =
        data.isPresent() ? write(data.get(), file) : download(port, new ExchangeFile(file));
    if (json) {
      ObjectNode facts = JsonNodeFactory.instance.objectNode();
      facts.put("store", data.map(Path::toString).orElseGet(() -> port.url().toString()));
      printJson(Exit.DONE, facts.setAll(written.json(file)));
    } else {
      out()
          .printf(
              "exported %,d objects of %s into %s: %s%n",
              written.objects(),
              data.<Object>map(path -> path).orElse(port.url()),
              file,
              written.token());
    }
    return Exit.DONE.code();
  }

  private ExchangeFile.ExportResult write(Path data, Path file)
      throws IOException, InterruptedException {
    try (Store store = ClosedDirectory.open(data)) {
      return new ExchangeFile(file)
          .write(at == null ? store.snapshot() : PointInTime.snapshot(store, at));
    } catch (StoreInUseException e) {
      return download(port.ofOwner(data, e), new ExchangeFile(file));
    }
  }

  private ExchangeFile.ExportResult download(AdminPort server, ExchangeFile file)
      throws IOException, InterruptedException {
    String path =
        "/api/v1/export"
            + (at == null ? "" : "?at=" + URLEncoder.encode(at, StandardCharsets.UTF_8));
    return file.download(server, path);
  }
}
