package io.github.stablecut.examples.gitlog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.PrintableText;
import io.github.stablecut.examples.gitlog.Commit.FileChange;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads valid logs, and refuses malformed ones with their line. */
final class CommitReaderTest {
  private static final String HASH = "8f302cdbf856ad3a21d7f88f65fa4277c42b32c0";
  private static final String HEAD =
      "commit " + HASH + "\nparents \nauthor Ada\ndate 2014-02-08T18:25:12-08:00\n";

  private static List<Commit> read(String log) {
    CommitReader reader = new CommitReader(new ByteArrayInputStream(log.getBytes(UTF_8)), "x.log");
    List<Commit> commits = new ArrayList<>();
    for (Optional<Commit> next = reader.next(); next.isPresent(); next = reader.next()) {
      commits.add(next.get());
    }
    return commits;
  }

  @Test
  void readsAWrittenLog() {
    List<Commit> commits = new RandomHistory(1).commits(300);

    assertThat(read(RandomHistory.log(commits))).isEqualTo(commits);
  }

  @Test
  void countsBinaryFilesAsNoLines() {
    assertThat(read(HEAD + "\n-\t-\tlogo.png\n").get(0).changes())
        .containsExactly(new FileChange(0, 0, "logo.png"));
  }

  @Test
  void readsPathsThatGitDidNotQuote() {
    assertThat(read(HEAD + "\n1\t2\tnaïve  file \n").get(0).changes())
        .containsExactly(new FileChange(1, 2, "naïve  file "));
  }

  @Test
  void acceptsHashesOfBothKindsAndStrangeOrMissingDates() {
    String long64 = "a".repeat(64);
    String log =
        "commit %s\nparents %s %s\nauthor \ndate \n".formatted(long64, long64, long64)
            + HEAD.replace("-08:00", "+518:00");

    assertThat(read(log))
        .extracting(Commit::date)
        .containsExactly("", "2014-02-08T18:25:12+518:00");
  }

  @Test
  void acceptsLinesWithoutTrailingSpaces() {
    assertThat(read(HEAD.replace("parents \nauthor Ada", "parents\nauthor")).get(0).author())
        .isEmpty();
  }

  @Test
  void doesNotNeedALineFeedAtTheEnd() {
    assertThat(read(HEAD + "\n1\t2\ta").get(0).changes())
        .containsExactly(new FileChange(1, 2, "a"));
    assertThat(read("")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | commit 8f30",
        "1 | comit 8f302cdbf856ad3a21d7f88f65fa4277c42b32c0",
        "1 | Commit 8F302CDBF856AD3A21D7F88F65FA4277C42B32C0",
        "2 | parents abc",
        "2 | author Ada",
        "3 | authors Ada",
        "4 | date yesterday",
        "1 | commit",
        "5 | 1\t2\ta",
        "6 | 1 2 a",
        "6 | -1\t2\ta",
        "6 | 1\t2",
        "6 | 1\t9999999999999999999\ta",
        "6 | 1\t2\t\"a",
        "6 | 1\t2\t\"a\\z\"",
        "6 | 1\t2\t\"a\\400\"",
        "6 | 1\t2\t\"",
      })
  void namesAMalformedLine(int number, String malformed) {
    List<String> lines = new ArrayList<>(HEAD.lines().toList());
    lines.add("");
    lines.add("1\t2\ta");
    lines.set(number - 1, malformed);

    assertThatThrownBy(() -> read(String.join("\n", lines)))
        .isInstanceOf(GitLogException.class)
        .hasMessageStartingWith("line " + number + " of x.log should be ")
        .hasMessageContaining("but is \"" + PrintableText.of(malformed) + "\"");
  }

  @Test
  void reportsATruncatedLog() {
    assertThatThrownBy(() -> read(HEAD + "commit " + HASH + "\nparents " + HASH + "\n"))
        .hasMessageStartingWith("line 6 of x.log should be followed by \"author \" and a name")
        .hasMessageContaining("the log is cut off");
    assertThatThrownBy(() -> read(HEAD + "\n")).hasMessageContaining("the log is cut off");
  }

  @Test
  void refusesAnEndlessLine() {
    assertThatThrownBy(() -> read("commit " + "a".repeat(100_000)))
        .hasMessageContaining("a line of at most 65,536 bytes");
  }
}
