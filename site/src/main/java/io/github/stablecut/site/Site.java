package io.github.stablecut.site;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** The pages of a repository's documents. Confined to one thread. */
final class Site {
  private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());
  private static final Set<String> OUTSIDE_DOCS =
      Set.of("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md");

  private final Path root;
  private final Map<String, Document> documents = new TreeMap<>();
  private final Set<String> files = new TreeSet<>();
  private final List<String> problems = new ArrayList<>();

  private Site(Path root) {
    this.root = root;
  }

  /** Reads the documents of a repository. */
  static Site read(Path root) throws IOException {
    Site site = new Site(root.toAbsolutePath().normalize());
    Parser parser = Parser.builder().extensions(EXTENSIONS).build();
    for (String source : site.sources()) {
      String text = Files.readString(site.root.resolve(source));
      site.documents.put(source, Document.of(source, parser.parse(text)));
    }
    for (Document document : site.documents.values()) {
      document
          .content()
          .accept(new Links(site.root, site.documents, document, site.files, site.problems));
    }
    return site;
  }

  private List<String> sources() throws IOException {
    List<String> sources = new ArrayList<>();
    OUTSIDE_DOCS.stream().filter(name -> Files.exists(root.resolve(name))).forEach(sources::add);
    try (Stream<Path> all = Files.walk(root.resolve("docs"))) {
      all.map(file -> root.relativize(file).toString())
          .filter(name -> name.endsWith(".md"))
          .forEach(sources::add);
    }
    return sources;
  }

  /** A sentence for each broken link. */
  List<String> problems() {
    return List.copyOf(problems);
  }

  /** The sources of all pages. */
  Set<String> sources(Navigation navigation) {
    Set<String> sources = new TreeSet<>(documents.keySet());
    sources.removeAll(navigation.sources());
    return sources;
  }

  /**
   * Writes the pages and the files that they show.
   *
   * @param target a directory; existing files stay
   */
  void write(Path target, Navigation navigation) throws IOException {
    String template = resource("page.html");
    HtmlRenderer renderer =
        HtmlRenderer.builder()
            .extensions(EXTENSIONS)
            .attributeProviderFactory(context -> new Anchors())
            .build();
    for (Document document : documents.values()) {
      String page =
          template
              .replace("{{title}}", Navigation.escaped(document.title()))
              .replace("{{top}}", "../".repeat(depth(document)))
              .replace("{{navigation}}", navigation.html(document, documents))
              .replace("{{content}}", renderer.render(document.content()));
      write(target.resolve(document.target()), page);
    }
    write(target.resolve("style.css"), resource("style.css"));
    for (String file : files) {
      Path copy = target.resolve(file.substring("docs/".length()));
      Files.createDirectories(copy.resolveSibling("."));
      Files.copy(root.resolve(file), copy, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static int depth(Document document) {
    return (int) document.target().chars().filter(character -> character == '/').count();
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.resolveSibling("."));
    Files.writeString(file, text);
  }

  static String resource(String name) throws IOException {
    try (InputStream text = Site.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(text, name).readAllBytes(), UTF_8);
    }
  }
}
