package io.github.stablecut.examples.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs the comparison with few records for a short time. */
final class YcsbTest {
  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return new CommandLine(new Ycsb())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }

  @Test
  void everyWorkloadRunsOnBothStores() throws Exception {
    Path place = directory.resolve("place");
    Path plot = directory.resolve("plot.svg");

    assertThat(
            run(
                "--records=200",
                "--threads=2",
                "--millis=400",
                "--rounds=1",
                "--directory=" + place,
                "--plot=" + plot))
        .as(err.toString())
        .isZero();

    List<String> lines = out.toString().lines().toList();
    assertThat(lines.get(0)).isEqualTo("workload,Stablecut ops/s,RocksDB ops/s,ratio");
    assertThat(lines.subList(1, lines.size()).stream().map(line -> line.substring(0, 2)))
        .containsExactly("A,", "B,", "C,", "D,", "F,", "E,");
    for (String line : lines.subList(1, lines.size())) {
      for (String figure : line.substring(2).split(",", -1)) {
        assertThat(Double.parseDouble(figure)).as(line).isPositive();
      }
    }
    assertThat(place).isEmptyDirectory();
    assertThat(Files.readString(plot)).contains(">A<", ">F<", ">RocksDB<").endsWith("</svg>\n");
  }

  @Test
  void refusesRecordsThatThreadsCannotShareEqually() {
    assertThat(run("--records=201", "--threads=2")).isEqualTo(2);
    assertThat(err.toString()).contains("--records must be a multiple of --threads");
  }
}
