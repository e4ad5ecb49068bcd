package io.github.stablecut.examples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PlotTest {
  @TempDir Path directory;

  @Test
  void writesLatenciesAsSvgAndPng() throws Exception {
    Histogram nanos = new Histogram(3);
    for (int i = 1; i <= 10_000; i++) {
      nanos.recordValue(i * 1_000L);
    }
    Plot plot = Plot.ofLatencies("reads of a test");
    plot.add("reads", nanos);
    plot.write(directory.resolve("latencies"));

    BufferedImage image = ImageIO.read(directory.resolve("latencies.png").toFile());
    assertThat(image.getWidth()).isEqualTo(900);
    assertThat(hasBlue(image)).as("a curve").isTrue();
    String svg = Files.readString(directory.resolve("latencies.svg"));
    assertThat(svg).contains("<svg", "stroke:blue").hasSizeLessThan(200_000);
  }

  private static boolean hasBlue(BufferedImage image) {
    for (int x = 0; x < image.getWidth(); x++) {
      for (int y = 0; y < image.getHeight(); y++) {
        if ((image.getRGB(x, y) & 0xffffff) == 0x0000ff) {
          return true;
        }
      }
    }
    return false;
  }
}
