package io.github.stablecut.web.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A headless Chromium with one page, driven by the DevTools protocol. Collects all errors that the
 * page reports. Confined to one thread.
 */
public final class Browser implements AutoCloseable {
  private static final List<String> PROGRAMS =
      List.of("chromium", "chromium-browser", "google-chrome");
  private static final String LISTENING = "DevTools listening on ";

  private final Process process;
  private final Thread reader;
  private final DevTools tools;
  private final String session;

  private Browser(Process process, Thread reader, DevTools tools, String session) {
    this.process = process;
    this.reader = reader;
    this.tools = tools;
    this.session = session;
  }

  /**
   * Starts a browser. Without Chromium, skips the test, or fails in CI.
   *
   * @param profile the directory of the browser's profile
   */
  public static Browser start(Path profile) throws IOException {
    Optional<Path> program = find();
    if (System.getenv("CI") == null) {
      Assumptions.assumeTrue(
          program.isPresent(), "no Chromium found: apt-get install chromium to test the pages");
    }
    Process process =
        new ProcessBuilder(
                program
                    .orElseThrow(
                        () -> new IOException("none of the programs is installed: " + PROGRAMS))
                    .toString(),
                "--headless=new",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "--no-first-run",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--hide-scrollbars",
                "about:blank")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      BufferedReader words = process.errorReader();
      DevTools tools = DevTools.connect(URI.create(address(words)));
      Thread reader = new Thread(() -> words.lines().forEach(line -> {}), "browser-words");
      reader.setDaemon(true);
      reader.start();
      ObjectNode target = JsonNodeFactory.instance.objectNode().put("url", "about:blank");
      String page = tools.call("", "Target.createTarget", target).get("targetId").asText();
      ObjectNode attach =
          JsonNodeFactory.instance.objectNode().put("targetId", page).put("flatten", true);
      String session = tools.call("", "Target.attachToTarget", attach).get("sessionId").asText();
      Browser browser = new Browser(process, reader, tools, session);
      browser.call("Page.enable");
      browser.call("Runtime.enable");
      browser.call("Log.enable");
      return browser;
    } catch (RuntimeException | Error | IOException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static Optional<Path> find() {
    List<Path> folders = new ArrayList<>();
    for (String folder : Optional.ofNullable(System.getenv("PATH")).orElse("").split(":", -1)) {
      folders.add(Path.of(folder));
    }
    return PROGRAMS.stream()
        .flatMap(name -> folders.stream().map(folder -> folder.resolve(name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static String address(BufferedReader words) throws IOException {
    List<String> said = new ArrayList<>();
    for (String line = words.readLine(); line != null; line = words.readLine()) {
      if (line.startsWith(LISTENING)) {
        return line.substring(LISTENING.length());
      }
      said.add(line);
    }
    throw new IOException("the browser exited: " + said);
  }

  private void call(String method) {
    call(method, JsonNodeFactory.instance.objectNode());
  }

  @CanIgnoreReturnValue
  private JsonNode call(String method, ObjectNode parameters) {
    return tools.call(session, method, parameters);
  }

  private static ObjectNode parameters() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** Opens a page. */
  public void open(URI address) {
    call("Page.navigate", parameters().put("url", address.toString()));
    await("document.readyState === 'complete' && location.href !== 'about:blank'");
  }

  /** Sets the size of the window, and light or dark mode. */
  public void look(int width, int height, boolean isDark) {
    call(
        "Emulation.setDeviceMetricsOverride",
        parameters()
            .put("width", width)
            .put("height", height)
            .put("deviceScaleFactor", 1)
            .put("mobile", width < 600));
    ObjectNode media = parameters();
    media
        .putArray("features")
        .addObject()
        .put("name", "prefers-color-scheme")
        .put("value", isDark ? "dark" : "light");
    call("Emulation.setEmulatedMedia", media);
  }

  /** Evaluates a JavaScript expression to JSON; a promise is awaited. */
  @CanIgnoreReturnValue
  public JsonNode evaluate(String expression) {
    JsonNode answer =
        call(
            "Runtime.evaluate",
            parameters()
                .put("expression", expression)
                .put("awaitPromise", true)
                .put("returnByValue", true));
    if (answer.has("exceptionDetails")) {
      throw new AssertionError(expression + " has failed: " + answer.get("exceptionDetails"));
    }
    return answer.path("result").path("value");
  }

  /** Waits until an expression is true; the test's timeout limits the wait. */
  public void await(String expression) {
    while (!evaluate("!!(" + expression + ")").asBoolean()) {
      evaluate("new Promise(resolve => setTimeout(resolve, 20))");
    }
  }

  /** Clicks on an element with the mouse. */
  public void click(String selector) {
    JsonNode at =
        evaluate(
            """
            (() => {
              const element = document.querySelector(%s);
              element.scrollIntoView({block: 'nearest', inline: 'center', behavior: 'instant'});
              const box = element.getBoundingClientRect();
              return {x: box.x + box.width / 2, y: box.y + box.height / 2};
            })()\
            """
                .formatted(quoted(selector)));
    for (String kind : List.of("mousePressed", "mouseReleased")) {
      call(
          "Input.dispatchMouseEvent",
          parameters()
              .put("type", kind)
              .put("x", at.get("x").asDouble())
              .put("y", at.get("y").asDouble())
              .put("button", "left")
              .put("clickCount", 1));
    }
  }

  /** Types text into the focused element. */
  public void type(String text) {
    call("Input.insertText", parameters().put("text", text));
  }

  /** Presses the Enter key. */
  public void enter() {
    for (String kind : List.of("keyDown", "keyUp")) {
      ObjectNode key =
          parameters().put("type", kind).put("key", "Enter").put("windowsVirtualKeyCode", 13);
      call("Input.dispatchKeyEvent", kind.equals("keyDown") ? key.put("text", "\r") : key);
    }
  }

  /** Quotes a text as a JavaScript string. */
  public static String quoted(String text) {
    return JsonNodeFactory.instance.textNode(text).toString();
  }

  /** Takes a screenshot once all animations have finished. */
  public void photograph(Path file) throws IOException {
    await("document.getAnimations().every(moving => moving.playState === 'finished')");
    JsonNode picture = call("Page.captureScreenshot", parameters().put("format", "png"));
    Path folder = file.getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Files.write(file, Base64.getDecoder().decode(picture.get("data").asText()));
  }

  /** The errors that the page reported, and its requests to other origins. */
  public List<String> errors() {
    return tools.events().stream().flatMap(Browser::error).toList();
  }

  private static Stream<String> error(JsonNode event) {
    JsonNode parameters = event.path("params");
    return switch (event.path("method").asText()) {
      case "Runtime.exceptionThrown" -> Stream.of(parameters.path("exceptionDetails").toString());
      case "Log.entryAdded" ->
          parameters.path("entry").path("level").asText().equals("error")
              ? Stream.of(parameters.path("entry").toString())
              : Stream.empty();
      default -> Stream.empty();
    };
  }

  @Override
  public void close() throws IOException {
    tools.close();
    process.destroy();
    try {
      process.waitFor();
      reader.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
