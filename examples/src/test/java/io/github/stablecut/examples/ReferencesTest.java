package io.github.stablecut.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Everything that code, tests and documents cite is in the repository or named in docs/sources.md.
 */
final class ReferencesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** The gap between two words of a citation: a space, or the end of a comment's line. */
  private static final String GAP = "(?:\\s|\\*|//)+";

  /** A text with citations. */
  private record Source(Path file, String text) {
    List<MatchResult> find(String pattern) {
      Matcher matcher = Pattern.compile(pattern.replace(" ", GAP)).matcher(text);
      return matcher.results().toList();
    }
  }

  private static List<Source> sources() throws IOException {
    List<Source> sources = new ArrayList<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : files.filter(ReferencesTest::isSource).toList()) {
        sources.add(new Source(ROOT.relativize(file), Files.readString(file)));
      }
    }
    return sources;
  }

  private static boolean isSource(Path file) {
    String path = ROOT.relativize(file).toString();
    return (path.endsWith(".java") || path.endsWith(".md") || path.endsWith(".conf"))
        && !path.contains("target/")
        && !path.endsWith("ReferencesTest.java");
  }

  /** Checks that the first groups of a pattern's matches are among the given names. */
  private static int check(String pattern, List<String> there, String where) throws IOException {
    int found = 0;
    for (Source source : sources()) {
      for (MatchResult cited : source.find(pattern)) {
        assertThat(there)
            .as("%s cites %s, see %s", source.file, cited.group(), where)
            .contains(cited.group(1));
        found++;
      }
    }
    return found;
  }

  private static List<String> matches(String document, String pattern) throws IOException {
    return Pattern.compile(pattern, Pattern.MULTILINE)
        .matcher(Files.readString(ROOT.resolve(document)))
        .results()
        .map(match -> match.group(1))
        .toList();
  }

  @Test
  void citedSectionsOfTheSpecificationExist() throws IOException {
    List<String> sections = matches("docs/protocol.md", "^#+ ([0-9]+(?:\\.[0-9]+)?)\\.? ");

    assertThat(
            check(
                "[Pp]rotocol(?:\\.md)?,?(?: section)? ([0-9]+\\.[0-9]+|[0-9](?=[,.)]))",
                sections,
                "docs/protocol.md"))
        .isGreaterThan(10);
  }

  @Test
  void citedScenariosExist() throws IOException {
    List<String> scenarios = matches("docs/protocol.md", "^\\| ([0-9]+) \\|");

    int cited = check("[Ss]cenarios? ([0-9]+)", scenarios, "docs/protocol.md, section 8");
    cited += check("[Ss]cenarios [0-9]+ and ([0-9]+)", scenarios, "docs/protocol.md, section 8");
    cited += check("void scenario([0-9]+)", scenarios, "docs/protocol.md, section 8");
    assertThat(cited).isGreaterThan(20);
  }

  @Test
  void citedSectionsOfTheReportAreListed() throws IOException {
    List<String> sections = matches("docs/sources.md", "^\\| report ([0-9.]+) \\|");

    assertThat(
            check(
                "[Rr]eport(?:'s)?[^.]{0,30}? \\(?sections? ([0-9]+(?:\\.[0-9]+)*)",
                sections,
                "docs/sources.md"))
        .isGreaterThan(8);
  }

  @Test
  void citedDecisionsExist() throws IOException {
    List<String> decisions = new ArrayList<>();
    try (Stream<Path> files = Files.list(ROOT.resolve("docs/decisions"))) {
      files
          .map(file -> file.getFileName().toString().replaceFirst("-.*", ""))
          .forEach(decisions::add);
    }
    int cited = check("decision ([0-9]+)", decisions, "docs/decisions");
    cited += check("decisions/([0-9]+)", decisions, "docs/decisions");
    assertThat(cited).isGreaterThan(5);
  }

  @Test
  void citedPapersAreListed() throws IOException {
    String names = Files.readString(ROOT.resolve("docs/sources.md"));
    int cited = 0;
    for (Source source : sources()) {
      for (MatchResult paper : source.find("(\\p{Lu}\\p{L}+) et al\\.")) {
        assertThat(names)
            .as("%s cites %s", source.file, paper.group())
            .contains(paper.group(1) + " et al.");
        cited++;
      }
    }
    assertThat(cited).isGreaterThan(15);
  }

  @Test
  void citedPagesExist() throws IOException {
    for (Source source : sources()) {
      // The site's tests make pages of their own.
      if (source.file.toString().endsWith(".java") && !source.file.startsWith("site/src/test")) {
        for (MatchResult page : source.find("(?<![\\w./\"])(docs/[\\w/-]+\\.md)")) {
          assertThat(ROOT.resolve(page.group(1))).as(source.file.toString()).exists();
        }
      }
    }
  }
}
