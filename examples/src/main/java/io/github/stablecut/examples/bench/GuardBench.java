package io.github.stablecut.examples.bench;

import io.github.stablecut.examples.bench.guard.BaseBuild;
import io.github.stablecut.examples.bench.guard.Figures;
import io.github.stablecut.examples.bench.guard.Figures.Load;
import io.github.stablecut.examples.bench.guard.Git;
import io.github.stablecut.examples.bench.guard.Git.Commit;
import io.github.stablecut.examples.bench.guard.GuardPeer;
import io.github.stablecut.examples.bench.guard.GuardSeries;
import io.github.stablecut.examples.bench.guard.History;
import io.github.stablecut.examples.bench.guard.Interval;
import io.github.stablecut.examples.bench.guard.Subject;
import io.github.stablecut.examples.bench.guard.TracedCalls;
import io.github.stablecut.examples.bench.guard.Verdict;
import io.github.stablecut.file.FileTrees;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Compares the store with that of an earlier commit, which it builds in a worktree of its own. Each
 * round has a new process, and both stores are in turns. It exits with code 1 if a load got slower.
 */
@Command(name = "guard", description = "The store compared with that of an earlier commit")
final class GuardBench implements Callable<Integer> {
  private static final String NOW = "now";
  private static final String BASE = "base";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--base", paramLabel = "COMMIT", description = "the earlier commit")
  private @Nullable String base;

  @Option(
      names = "--benches",
      split = ",",
      defaultValue = "commit,mixed",
      description =
          "commit: durable increments of counters; mixed: 80 %% reads; wire-updates, wire: the same"
              + " as requests to a server; replicas: increments as requests to three nodes with a"
              + " replica each (${DEFAULT-VALUE})")
  private List<String> benches = List.of();

  @Option(
      names = "--threads",
      split = ",",
      defaultValue = "1,64",
      description = "numbers of threads (${DEFAULT-VALUE})")
  private List<Integer> threads = List.of();

  @Option(
      names = "--series",
      defaultValue = "12",
      description = "rounds of each store (${DEFAULT-VALUE}); six or more give an interval")
  private int series;

  @Option(names = "--millis", defaultValue = "3000", description = "per round (${DEFAULT-VALUE})")
  private int millis;

  @Option(
      names = "--traces",
      defaultValue = "3",
      description = "processes of each store whose system calls strace counts (${DEFAULT-VALUE})")
  private int traces;

  @Option(names = "--keep", description = "keep the base's worktree for the next run")
  private boolean isKept;

  @Option(
      names = "--save",
      description = "also measure the peers, and write both commits to the history")
  private boolean isSaved;

  @Option(names = "--plot", description = "draw the history")
  private boolean isPlotted;

  @Mixin private Workspace workspace = new Workspace();

  private final Figures figures = new Figures();

  @Override
  public Integer call() throws Exception {
    Git git = Git.containing(BaseBuild.ownClasses());
    int code = base == null ? checkPlotted() : compare(git, base);
    if (isPlotted) {
      HistoryPlot.draw(History.read(history(git)), benchmarks(git).resolve("history"));
    }
    return code;
  }

  private int checkPlotted() {
    if (!isPlotted) {
      throw new ParameterException(spec.commandLine(), "--base or --plot is required");
    }
    return 0;
  }

  private static Path benchmarks(Git git) {
    return git.root().resolve("docs").resolve("benchmarks");
  }

  private static Path history(Git git) {
    return benchmarks(git).resolve("history.csv");
  }

  private int compare(Git git, String name) throws IOException, InterruptedException {
    if (!GuardPeer.benches().containsAll(benches)) {
      throw new ParameterException(
          spec.commandLine(), "the benches are " + String.join(", ", GuardPeer.benches()));
    }
    if (isSaved && git.isChanged()) {
      throw new IOException("files differ from the current commit: commit them before --save");
    }
    Commit before = git.commit(name);
    Commit now = git.commit("HEAD");
    Path directory = workspace.create();
    try (BaseBuild build = BaseBuild.of(git, before, isKept)) {
      String machine = Machine.describe(directory);
      System.out.println(machine);
      System.out.printf("# base: %s %s%n", before.id(), before.subject());
      System.out.printf(
          "# now: %s%s %s%n", now.id(), git.isChanged() ? ", changed:" : "", now.subject());
      measure(build, directory);
      boolean isSlower = print();
      if (isSaved) {
        List<History.Line> lines = new ArrayList<>();
        for (Load load : figures.loads()) {
          lines.add(History.line(before, load, figures, BASE, machine));
          lines.add(History.line(now, load, figures, NOW, machine));
        }
        History.add(history(git), lines);
      }
      return isSlower ? 1 : 0;
    } finally {
      FileTrees.delete(directory);
    }
  }

  private List<Subject> subjects(String bench, BaseBuild build) {
    String own = System.getProperty("java.class.path");
    List<Subject> subjects = new ArrayList<>();
    subjects.add(new Subject(BASE, "store", build.classPath()));
    subjects.add(new Subject(NOW, "store", own));
    if (isSaved) {
      GuardPeer.peers(bench).forEach(peer -> subjects.add(new Subject(peer, peer, own)));
    }
    return subjects;
  }

  /** One process to run. */
  private record Step(String name, GuardSeries series, Subject subject, boolean isTraced) {
    void run() throws IOException, InterruptedException {
      if (isTraced) {
        series.trace(subject);
      } else {
        series.run(subject);
      }
    }
  }

  private void measure(BaseBuild build, Path directory) throws IOException, InterruptedException {
    if (traces > 0 && !TracedCalls.canTrace()) {
      System.out.println(
          "# system calls are not counted: strace is not installed, or cannot trace");
      traces = 0;
    }
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < Math.max(series, traces); i++) {
      for (String bench : benches) {
        List<Subject> subjects = subjects(bench, build);
        GuardSeries rounds = new GuardSeries(bench, threads, millis, directory, figures);
        for (Subject subject : GuardSeries.inOrder(i < series ? subjects : List.of(), i)) {
          steps.add(new Step(bench + ", " + subject.name(), rounds, subject, false));
        }
        boolean isTraced = i < traces && !GuardPeer.isCluster(bench);
        List<Subject> stores = isTraced ? subjects.subList(0, 2) : List.of();
        for (Subject subject : GuardSeries.inOrder(stores, i)) {
          steps.add(new Step("calls of " + bench + ", " + subject.name(), rounds, subject, true));
        }
      }
    }
    int done = 0;
    long startNanos = System.nanoTime();
    for (Step step : steps) {
      step.run();
      progress(++done, steps.size(), startNanos, step.name());
    }
  }

  private static void progress(int done, int all, long startNanos, String what) {
    long left = (System.nanoTime() - startNanos) / done * (all - done);
    System.err.printf(
        "process %d of %d: %s; about %d min left%n",
        done, all, what, Duration.ofNanos(left).plusSeconds(30).toMinutes());
  }

  /** Prints the table and the verdicts, and returns whether a load got slower. */
  private boolean print() {
    System.out.println("bench,threads,what,base,now,ratio,low,high");
    for (Load load : figures.loads()) {
      for (String column : figures.columns(load, NOW)) {
        Interval ratio = figures.ratio(load, NOW, BASE, column);
        System.out.printf(
            "%s,%d,%s,%s,%s,%.3f,%.3f,%.3f%n",
            load.bench(),
            load.threads(),
            column,
            shown(figures.median(load, BASE, column)),
            shown(figures.median(load, NOW, column)),
            ratio.median(),
            ratio.low(),
            ratio.high());
      }
    }
    boolean isSlower = false;
    for (Load load : figures.loads()) {
      Verdict verdict = Verdict.of(figures, load, NOW, BASE);
      System.out.println("# " + verdict.text());
      isSlower |= verdict.isSlower();
    }
    return isSlower;
  }

  private static String shown(double figure) {
    return figure >= 100 ? "%.0f".formatted(figure) : "%.3g".formatted(figure);
  }
}
