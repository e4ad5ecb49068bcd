package io.github.stablecut.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Documents, comments and messages are written in the field's English: active voice, short
 * sentences, the terms of docs/glossary.md. This test finds the patterns and the retired terms that
 * the project's earlier texts were full of.
 */
final class StyleTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final int MAX_WORDS = 35;

  /** The packages that may have more than forty files. */
  private static final List<Path> LARGE_PACKAGES =
      List.of(
          ROOT.resolve("crdt/src/main/java/io/github/stablecut/error"),
          ROOT.resolve("cluster/src/main/java/io/github/stablecut/cluster/internal/remote"));

  private static final Pattern TEXT_OF_JAVA =
      Pattern.compile(
          "/\\*\\*?(.*?)\\*/|//([^\\n]*)|\"((?:\\\\.|[^\"\\\\\\n])*)\"", Pattern.DOTALL);

  /** A variable whose value nobody uses, but which a check of ignored results would accept. */
  private static final Pattern UNUSED_VARIABLE = Pattern.compile("\\bunused\\w*\\s*(=|->|[,:;)])");

  /** A parameter, a component or a field with a time whose name lacks the unit. */
  private static final Pattern TIME_WITHOUT_UNIT =
      Pattern.compile(
          "(?:[(,]|\\b(?:private|static|volatile|final))\\s*"
              + "long (now|deadline|heard|asked|since|until|age|begun|due)\\b(?!\\()");

  private static final Pattern TEXT_OF_XML =
      Pattern.compile("<!--(.*?)-->|<description>(.*?)</description>", Pattern.DOTALL);

  /** Consecutive comment lines of a settings file or a script. */
  private static final Pattern TEXT_OF_SCRIPT = Pattern.compile("(?m)(^\\h*(#|//)(?!!).*\\R?)+");

  private static final Pattern END_OF_SENTENCE =
      Pattern.compile(
          "(?<=[.!?:;])\\s+|\\n\\s*\\n|<p>|<li>|</?t[dhr]>|\\||\\n\\s*[-*0-9]+\\.? |@\\w+ ");

  /** The findings, by the pattern that detects each. */
  private static final Map<String, Pattern> PATTERNS =
      Map.ofEntries(
          found(
              "a relative clause is its subject",
              "^(Who|Whoever|Whatever|What (it|he|they|is not)|So (long|many|much)|Nobody who|One that|Those (that|who))\\b(?!.*\\?$)"),
          found(
              "nobody acts in it",
              "\\b(is|are|was|were|be|been) (looked(?! up)|let go|gone on|begun with)\\b"),
          found("\"any more\": say \"no longer\"", "\\bany more\\b(?! (than|of))"),
          found("\"anew\": say \"again\"", "\\banew\\b"),
          found("\"let go of\": say \"release\" or \"discard\"", "\\blets? go of\\b"),
          found("a program is no person", "\\b(he|him|his|whom)\\b"),
          found("\"all the same\"", "\\ball the same\\b"),
          found("name who it is", "\\b([Ww]hoever|[Ss]omebody|[Aa]nybody)\\b"),
          found("a program is not told anything", "\\b(is|are|was|were) told\\b"),
          found("say \"has sent a message\"", "\\b(is|are|was|were|been) heard\\b(?! of)"),
          found("say what happened to it", "\\b(is|are|was|were) gone\\b"),
          found("\"says so\": say \"reports it\"", "\\bsays so\\b"),
          found("\"in vain\": say \"useless\"", "\\bin vain\\b"),
          found("\"for ever\": say \"forever\" or \"permanently\"", "\\bfor ever\\b"),
          found("\"beside\": say \"next to\", \"besides\" or \"compared with\"", "\\bbeside\\b"),
          found(
              "a retired term: see docs/glossary.md",
              "\\b(ports? for operators|token of operators|registers? of layouts|told points?)\\b"));

  /** A Javadoc comment, and what it describes up to its name. */
  private static final Pattern DESCRIBED =
      Pattern.compile("/\\*\\*((?:(?!\\*/).)*)\\*/([^;{=(]*)", Pattern.DOTALL);

  /** The first words of a noun clause, which says neither what a thing is nor what it does. */
  private static final Pattern NOUN_CLAUSE =
      Pattern.compile("(What|How|When|Where|Who|Why|Of|As \\{@link)\\b.*", Pattern.DOTALL);

  private static Map.Entry<String, Pattern> found(String what, String pattern) {
    return Map.entry(what, Pattern.compile(pattern));
  }

  /**
   * Returns the texts of a file: a document without its code, the comments and literals of a Java
   * file, or the comments of another one.
   */
  private static List<String> texts(Path file) throws IOException {
    String all = Files.readString(file);
    String name = file.toString();
    if (name.endsWith(".md")) {
      return List.of(all.replaceAll("(?s)```.*?```", "\n\n").replaceAll("`[^`\n]*`", "X"));
    }
    if (name.endsWith(".xml")) {
      return TEXT_OF_XML
          .matcher(all)
          .results()
          .map(match -> match.group(1) != null ? match.group(1) : match.group(2))
          .toList();
    }
    if (!name.endsWith(".java")) {
      return TEXT_OF_SCRIPT
          .matcher(all)
          .results()
          .map(match -> match.group().replaceAll("(?m)^\\h*(#|//)", ""))
          .toList();
    }
    List<String> texts = new ArrayList<>();
    for (MatchResult match : TEXT_OF_JAVA.matcher(all).results().toList()) {
      if (match.group(1) != null) {
        texts.add(
            match
                .group(1)
                .replaceAll("(?s)<pre>.*?</pre>", "\n\n")
                .replaceAll("(?m)^\\s*\\*", "")
                .replaceAll("(?s)\\{@\\w+\\s+([^}]*)}", "X"));
      } else {
        texts.add(match.group(2) != null ? match.group(2) : match.group(3));
      }
    }
    return texts;
  }

  private static List<String> findings(Path file) throws IOException {
    List<String> findings = new ArrayList<>();
    for (String text : texts(file)) {
      for (String part : END_OF_SENTENCE.splitAsStream(text).toList()) {
        String sentence = part.strip().replaceAll("\\s+", " ");
        PATTERNS.forEach(
            (what, pattern) -> {
              if (pattern.matcher(sentence).find()) {
                findings.add("%s: %s: %s".formatted(ROOT.relativize(file), what, sentence));
              }
            });
        if (sentence.chars().filter(c -> c == ' ').count() >= MAX_WORDS) {
          findings.add("%s: too long: %s".formatted(ROOT.relativize(file), sentence));
        }
      }
    }
    return findings;
  }

  private static List<Path> files(String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(suffix) && Files.isRegularFile(file))
          .filter(file -> !file.toString().contains("/target/"))
          .filter(file -> !file.toString().contains("/node_modules/"))
          .filter(file -> !file.endsWith("StyleTest.java") && !file.endsWith("glossary.md"))
          .sorted()
          .toList();
    }
  }

  private static void check(String... suffixes) throws IOException {
    List<String> findings = new ArrayList<>();
    for (String suffix : suffixes) {
      List<Path> files = files(suffix);
      assertThat(files).as(suffix).isNotEmpty();
      for (Path file : files) {
        findings.addAll(findings(file));
      }
    }
    assertThat(findings).isEmpty();
  }

  @Test
  void documentsUseTheFieldsEnglish() throws IOException {
    check(".md");
  }

  @Test
  void commentsAndMessagesUseTheFieldsEnglish() throws IOException {
    check(".java");
  }

  @Test
  void settingsScriptsAndPomsUseTheFieldsEnglish() throws IOException {
    check(".conf", "pom.xml", "/stablecut", "/run");
  }

  /**
   * A result that may be ignored is marked at its method, by {@code @CanIgnoreReturnValue}; any
   * other result is used.
   */
  @Test
  void noVariableHidesAnIgnoredResult() throws IOException {
    List<String> findings = new ArrayList<>();
    for (Path file : files(".java")) {
      String code = TEXT_OF_JAVA.matcher(Files.readString(file)).replaceAll(" ");
      UNUSED_VARIABLE
          .matcher(code)
          .results()
          .forEach(match -> findings.add(ROOT.relativize(file) + ": " + match.group()));
    }

    assertThat(findings).isEmpty();
    assertThat(UNUSED_VARIABLE.matcher("var unusedToo = store.update(LIKES);").find()).isTrue();
  }

  /**
   * A comment's first sentence says what a thing is or does, by a noun or a verb. Exceptions say
   * when they are thrown.
   */
  @Test
  void commentsBeginWithANounOrAVerb() throws IOException {
    List<String> findings = new ArrayList<>();
    for (Path file : files(".java")) {
      if (file.toString().contains("/src/main/")) {
        for (MatchResult match : DESCRIBED.matcher(Files.readString(file)).results().toList()) {
          String first = match.group(1).replaceAll("\\s+\\*?\\s*", " ").strip();
          if (isNoDescription(first, match.group(2))) {
            findings.add("%s: %.80s".formatted(ROOT.relativize(file), first));
          }
        }
      }
    }

    assertThat(findings).isEmpty();
    assertThat(isNoDescription("What a call needs.", " record Needs")).isTrue();
    assertThat(isNoDescription("Whether it is open.", " enum State")).isTrue();
    assertThat(isNoDescription("The store is closed.", " class ClosedException")).isTrue();
  }

  private static boolean isNoDescription(String comment, String described) {
    boolean isType = described.matches("(?s).*\\b(class|interface|record|enum)\\b.*");
    boolean isException = described.matches("(?s).*\\bclass \\w+Exception\\b.*");
    return NOUN_CLAUSE.matcher(comment).matches()
        || (isType && comment.matches("(?s)(Whether|Which)\\b.*"))
        || (isException
            && !comment.matches("(?s)(Thrown|The base|The exception|Carries|Signals)\\b.*"));
  }

  @Test
  void timesCarryTheirUnitInTheirNames() throws IOException {
    List<String> findings = new ArrayList<>();
    for (Path file : files(".java")) {
      if (file.toString().contains("/src/main/")) {
        String code = TEXT_OF_JAVA.matcher(Files.readString(file)).replaceAll(" ");
        TIME_WITHOUT_UNIT
            .matcher(code)
            .results()
            .forEach(match -> findings.add(ROOT.relativize(file) + ": " + match.group()));
      }
    }

    assertThat(findings).isEmpty();
    assertThat(TIME_WITHOUT_UNIT.matcher("void tick(int number, long now) {").find()).isTrue();
    assertThat(TIME_WITHOUT_UNIT.matcher("private long deadline;").find()).isTrue();
  }

  /** A reader can survey a package of this size. docs/ARCHITECTURE.md explains the exceptions. */
  @Test
  void packagesHaveAtMostFortyFiles() throws IOException {
    Map<Path, Long> sizes =
        files(".java").stream()
            .filter(file -> file.toString().contains("/src/main/"))
            .collect(Collectors.groupingBy(Path::getParent, Collectors.counting()));
    sizes.keySet().removeIf(LARGE_PACKAGES::contains);

    assertThat(sizes).allSatisfy((directory, files) -> assertThat(files).isLessThanOrEqualTo(40));
  }

  @Test
  void detectsItsPatterns() {
    for (String bad :
        List.of(
            "Whoever has asked does not know",
            "it is looked what else there is",
            "is not kept any more",
            "it is begun anew",
            "lets go of them",
            "what he hears",
            "serves all the same",
            "somebody leads it",
            "the peer is told why",
            "no leader was heard",
            "the file is gone",
            "the log says so",
            "waits for ever",
            "a line beside it",
            "the port for operators")) {
      assertThat(PATTERNS.values().stream().filter(one -> one.matcher(bad).find()))
          .as(bad)
          .isNotEmpty();
    }
  }
}
