package io.github.stablecut.examples.gitlog;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import io.github.stablecut.Reader;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.terminal.Table;
import io.github.stablecut.cluster.terminal.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code gitlog top}. */
@Command(
    name = "top",
    description = "Shows the authors and the files with most commits, now or as of any commit.")
final class TopCommand implements Callable<Integer> {
  private static final ObjectWriter JSON = new ObjectMapper().writerWithDefaultPrettyPrinter();

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private GitLog.Data data = new GitLog.Data();

  @Option(
      names = "--at",
      paramLabel = "COMMIT",
      description = "as of this commit, named by its hash or a prefix of it")
  private @Nullable String at;

  @Option(
      names = "-n",
      paramLabel = "N",
      defaultValue = "10",
      description =
          "number of authors and of files to list, 0 for all; default ${DEFAULT-VALUE}, also with --json")
  private int rows;

  @Option(names = "--json", description = "print one JSON object")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (rows < 0) {
      throw new ParameterException(spec.commandLine(), "-n must be at least 0, not " + rows);
    }
    if (!Files.exists(data.directory())) {
      throw new GitLogException(
          "no store in " + data.directory() + ": create one with gitlog import");
    }
    try (Store store = data.open()) {
      CommitTokens.complete(store);
      Reader then = at == null ? store.snapshot() : store.at(CommitTokens.find(store, at).token());
      Imported last =
          then.read(Schema.IMPORTED)
              .orElseThrow(
                  () ->
                      new GitLogException(
                          data.directory() + " has no history: import one with gitlog import"));
      TopReport report = TopReport.read(then, rows == 0 ? Integer.MAX_VALUE : rows);
      PrintWriter out = spec.commandLine().getOut();
      if (json) {
        out.println(JSON.writeValueAsString(report));
      } else {
        print(out, Terminal.ofProcess(), last, report);
      }
    }
    return 0;
  }

  private static void print(PrintWriter out, Terminal terminal, Imported last, TopReport report) {
    out.println(terminal.bold("as of " + last.hash()) + "  " + last.date());
    out.printf(
        "%,d commits, %,d lines added, %,d lines deleted%n",
        report.commits(), report.added(), report.deleted());
    Table authors = new Table("commits", "added", "deleted", "author");
    for (TopReport.AuthorRow row : report.authors()) {
      authors.add(row.author(), row.commits(), row.added(), row.deleted());
    }
    print(out, terminal, authors.lines());
    Table files = new Table("commits", "added", "deleted", "authors", "file");
    for (TopReport.FileRow row : report.files()) {
      files.add(row.file(), row.commits(), row.added(), row.deleted(), row.authors());
    }
    print(out, terminal, files.lines());
  }

  private static void print(PrintWriter out, Terminal terminal, List<String> table) {
    out.println();
    out.println(terminal.bold(table.get(0)));
    table.stream().skip(1).forEach(out::println);
  }
}
