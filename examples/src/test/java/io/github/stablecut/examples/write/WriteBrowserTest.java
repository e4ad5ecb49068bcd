package io.github.stablecut.examples.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.web.WebServer;
import io.github.stablecut.web.testing.Browser;
import io.github.stablecut.web.testing.Pictures;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plays the page for writing in a browser. */
final class WriteBrowserTest {
  private static final String OSLO = "document.querySelector('.desk[data-city=\"0\"] textarea')";
  private static final String LIMA = "document.querySelector('.desk[data-city=\"1\"] textarea')";

  private static final int AT_THE_END = 9_999;

  @TempDir private Path directory;

  @Test
  void playsThePageAndTakesItsPictures() throws IOException {
    try (Browser browser = Browser.start(directory.resolve("browser"));
        Desks desks = Desks.open(directory.resolve("desks"), Optional.empty(), 1);
        WebServer server =
            WebServer.start(
                WritePage.of(desks), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      browser.look(1280, 720, false);
      browser.open(server.uri());
      browser.await(LIMA + "?.value.startsWith('Write here')");

      writeInBothPlaces(browser);
      writeWhileCut(browser);
      lookBack(browser);
      browser.look(390, 844, false);
      browser.photograph(Pictures.file("write-phone"));
      assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth").asBoolean())
          .as("nothing is wider than a phone")
          .isTrue();

      assertThat(browser.errors()).isEmpty();
    }
  }

  private static void caret(Browser browser, String area, int position) {
    browser.evaluate(
        "(() => { const area = %s; area.focus(); area.setSelectionRange(%d, %d); })()"
            .formatted(area, position, position));
  }

  private static void writeInBothPlaces(Browser browser) {
    browser.evaluate(OSLO + ".focus()");
    browser.evaluate(OSLO + ".select()");
    browser.type("Shopping for the feast\n\n- bread\n- olives\n");
    browser.await(LIMA + ".value.endsWith('olives\\n')");
    caret(browser, LIMA, "Shopping for the feast\n\n- bread".length());
    browser.type(" (two loaves)");
    browser.await(OSLO + ".value.includes('loaves)\\n- olives')");
  }

  private static void writeWhileCut(Browser browser) throws IOException {
    browser.click(".switch");
    browser.await("document.body.dataset.cable === 'cut'");
    caret(browser, LIMA, AT_THE_END);
    browser.type("- a melon\n");
    caret(browser, OSLO, AT_THE_END);
    browser.type("- candles, and matches\n");
    browser.await(OSLO + ".value.includes('candles')");
    assertThat(browser.evaluate(OSLO + ".value.includes('melon')").asBoolean()).isFalse();
    assertThat(browser.evaluate(LIMA + ".value.includes('candles')").asBoolean()).isFalse();
    browser.click(".switch");
    browser.await(OSLO + ".value.includes('melon') && " + OSLO + ".value === " + LIMA + ".value");
    browser.await("document.querySelectorAll('.mirror .caret').length === 2");
    browser.photograph(Pictures.file("write"));
  }

  private static void lookBack(Browser browser) throws IOException {
    String slider = "document.querySelector('.desk[data-city=\"1\"] input')";
    String now = browser.evaluate(LIMA + ".value").asText();
    // At once, like a user: while the present is shown, an event moves the slider to its end.
    browser.evaluate(
        "(() => { const slider = %s; slider.value = 1; slider.dispatchEvent(new Event('input')); })()"
            .formatted(slider));
    browser.await(LIMA + ".value === 'Shopping for the feast\\n\\n- bread\\n- olives\\n'");
    browser.look(1280, 720, true);
    browser.photograph(Pictures.file("write-past"));
    browser.click(".desk[data-city='1'] footer button");
    browser.await(LIMA + ".value === " + Browser.quoted(now));
  }
}
