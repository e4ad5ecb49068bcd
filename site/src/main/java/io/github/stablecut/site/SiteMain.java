package io.github.stablecut.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Builds the site of a repository: {@code SiteMain ROOT TARGET}. */
public final class SiteMain {
  private static final String API = "apidocs/index.html";

  private SiteMain() {}

  /**
   * Writes the pages; exits with code 1 if a link is broken.
   *
   * @param args the root of the repository and the target directory, whose directory {@code
   *     apidocs} may contain the Javadoc
   */
  public static void main(String[] args) throws IOException {
    Site site = Site.read(Path.of(args[0]));
    Path target = Path.of(args[1]);
    String navigation = Site.resource("navigation.txt");
    if (Files.exists(target.resolve(API))) {
      navigation += "\nReference of the API\n  " + API + " Javadoc\n";
    }
    site.write(target, Navigation.of(navigation));
    site.problems().forEach(System.err::println);
    System.out.println("the site is in " + target.resolve("index.html"));
    if (!site.problems().isEmpty()) {
      System.exit(1);
    }
  }
}
