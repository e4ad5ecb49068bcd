package io.github.stablecut.examples.gitlog;

import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.cluster.terminal.ProgressBar;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code gitlog import}. */
@Command(
    name = "import",
    description = {
      "Imports a history, one transaction per commit.",
      "Commits imported before are skipped, so the same call resumes after a crash and adds new commits."
    },
    footer = {
      "",
      "A log is the output of",
      "  git log --reverse --no-renames --numstat --date=iso-strict \\",
      "    --format='commit %%H%%nparents %%P%%nauthor %%an%%ndate %%aI' HEAD"
    })
final class ImportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private GitLog.Data data = new GitLog.Data();
  @ArgGroup private Input input = new Input();

  /** The source of the log: one of the two. */
  private static final class Input {
    @Option(
        names = "--repo",
        paramLabel = "PATH",
        description = "a repository; by default that of the current directory")
    private Path repository = Path.of("");

    @Option(
        names = "--log",
        paramLabel = "FILE",
        description = "a file with a log, compressed by gzip or not")
    private @Nullable Path log;

    LogSource open() {
      return log == null ? GitProcess.start(repository) : LogFile.open(log);
    }
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    try (LogSource source = input.open();
        Store store = data.open()) {
      long startNanos = System.nanoTime();
      Importer.Result result;
      try (ProgressBar progress = ProgressBar.onStandardError("commits")) {
        result = new Importer(store, source, progress).run();
      }
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      StoreStatus.Journal journal = store.status().journal();
      out.printf(
          "%s: %,d commits, %,d of them imported before%n",
          source.name(), result.skipped() + result.imported(), result.skipped());
      out.printf(
          "imported %,d commits in %.1f s: %,.0f commits/s, %,d syncs of the disk%n",
          result.imported(), seconds, result.imported() / seconds, journal.syncs());
    }
    return 0;
  }
}
