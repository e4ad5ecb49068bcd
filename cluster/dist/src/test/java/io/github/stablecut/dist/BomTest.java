package io.github.stablecut.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The artifacts and the version that {@code stablecut-bom} names. */
final class BomTest {
  private static final Path ROOT = Path.of("../..");

  private static final Pattern ARTIFACT =
      Pattern.compile("<artifactId>(stablecut-[a-z0-9-]+)</artifactId>");

  private static final Pattern VERSION =
      Pattern.compile("<artifactId>stablecut-(?:parent|bom)</artifactId>\\s*<version>(.*?)<");

  @Test
  void namesEveryArtifactForPrograms() throws IOException {
    assertThat(artifacts(ROOT.resolve("bom/pom.xml")).skip(1))
        .containsExactlyInAnyOrderElementsOf(
            modules()
                .filter(module -> !module.startsWith("cluster/dist") && !module.endsWith("3"))
                .map(module -> artifact(ROOT.resolve(module).resolve("pom.xml")))
                .toList());
  }

  @Test
  void hasTheVersionOfTheArtifacts() throws IOException {
    assertThat(version(ROOT.resolve("bom/pom.xml"))).isEqualTo(version(ROOT.resolve("pom.xml")));
  }

  /** The modules that are neither examples nor documents. */
  private static Stream<String> modules() throws IOException {
    return Pattern.compile("<module>(.*?)</module>")
        .matcher(Files.readString(ROOT.resolve("pom.xml")))
        .results()
        .map(found -> found.group(1))
        .filter(module -> !module.matches("(examples.*|site|bom)"));
  }

  private static Stream<String> artifacts(Path pom) throws IOException {
    return ARTIFACT.matcher(Files.readString(pom)).results().map(found -> found.group(1));
  }

  /** The artifact of a module's POM, which is named after its parent. */
  private static String artifact(Path pom) {
    try {
      List<String> names = artifacts(pom).toList();
      assertThat(names.get(0)).isEqualTo("stablecut-parent");
      return names.get(1);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String version(Path pom) throws IOException {
    Matcher found = VERSION.matcher(Files.readString(pom));
    assertThat(found.find()).isTrue();
    return found.group(1);
  }
}
