package dev.tidemark.retention.cli.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

class FrameCodecTest {

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A blob with a sound header and checksum over whatever frames are given. */
  private static byte[] blobOf(byte[] frames) {
    Deflater deflater = new Deflater();
    try {
      deflater.setInput(frames);
      deflater.finish();
      ByteArrayOutputStream blob = new ByteArrayOutputStream();
      blob.write('T');
      blob.write(1);
      byte[] chunk = new byte[1 << 16];
      while (!deflater.finished()) {
        blob.write(chunk, 0, deflater.deflate(chunk));
      }
      return blob.toByteArray();
    } finally {
      deflater.end();
    }
  }

  private static void assertDamaged(byte[] blob, String problem) {
    assertThatThrownBy(() -> FrameCodec.decode(blob))
        .isInstanceOf(DamagedBlobException.class)
        .hasMessageStartingWith("damaged blob: ")
        .hasMessageContaining(problem);
  }

  @Test
  void messagesComeBackAsTheyWere() {
    byte[] noise = new byte[1 << 20];
    new Random(7).nextBytes(noise);
    List<byte[]> messages =
        List.of(
            utf8("{\"a\":\"caf\u00e9\"}"), utf8(""), utf8("x".repeat(1 << 20)), noise, utf8("y"));

    assertThat(FrameCodec.decode(FrameCodec.encode(messages)))
        .usingElementComparator(Arrays::compare)
        .containsExactlyElementsOf(messages);
  }

  @Test
  void noMessagesAreABlobToo() {
    assertThat(FrameCodec.decode(FrameCodec.encode(List.of()))).isEmpty();
  }

  @Test
  void theHeaderIsTheLetterTAndVersionOne() {
    assertThat(FrameCodec.encode(List.of(utf8("a")))).startsWith('T', 1);
  }

  @Test
  void anotherWritersBlobIsRefused() {
    assertDamaged(new byte[0], "0 bytes are too few");
    assertDamaged(new byte[] {'T'}, "1 bytes are too few");
    assertDamaged(utf8("{\"a\":1}"), "it starts with byte 123, not 84");
    assertDamaged(new byte[] {'T', 2, 0}, "it has version 2, only 1 is known");
  }

  @Test
  void aBlobCutAnywhereIsRefused() {
    byte[] blob = FrameCodec.encode(List.of(utf8("{\"a\":1}"), utf8("{\"a\":2}")));

    for (int length = 2; length < blob.length; length++) {
      assertDamaged(Arrays.copyOf(blob, length), "it is truncated");
    }
  }

  @Test
  void bytesAfterTheEndAreRefused() {
    byte[] blob = FrameCodec.encode(List.of(utf8("a")));

    assertDamaged(Arrays.copyOf(blob, blob.length + 3), "3 bytes follow its end");
  }

  @Test
  void noFlippedBitMakesOtherMessages() {
    List<byte[]> messages = List.of(utf8("{\"a\":1,\"b\":\"xyz\"}"), utf8("{\"a\":2}"));
    byte[] blob = FrameCodec.encode(messages);
    int refused = 0;

    for (int bit = 0; bit < blob.length * 8; bit++) {
      byte[] damaged = blob.clone();
      damaged[bit / 8] ^= (byte) (1 << (bit % 8));
      try {
        // Bits that only fill the last byte of the compressed data mean nothing.
        assertThat(FrameCodec.decode(damaged))
            .usingElementComparator(Arrays::compare)
            .containsExactlyElementsOf(messages);
      } catch (DamagedBlobException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(blob.length * 8 - 8);
  }

  @Test
  void aBlobThatDoesNotInflateIsRefused() {
    assertDamaged(new byte[] {'T', 1, 1, 2, 3, 4}, "it does not inflate: ");
  }

  @Test
  void aBlobThatNeedsADictionaryIsRefused() {
    Deflater deflater = new Deflater();
    byte[] chunk = new byte[100];
    int length;
    try {
      deflater.setDictionary(utf8("aaaaaaaa"));
      deflater.setInput(utf8("aaaa"));
      deflater.finish();
      length = deflater.deflate(chunk);
    } finally {
      deflater.end();
    }

    assertDamaged(
        ByteBuffer.allocate(2 + length).put((byte) 'T').put((byte) 1).put(chunk, 0, length).array(),
        "it needs a dictionary");
  }

  @Test
  void aFrameCannotBeLongerThanWhatIsLeft() {
    assertDamaged(
        blobOf(ByteBuffer.allocate(6).putInt(3).put(utf8("ab")).array()),
        "frame 1 claims 3 bytes where 2 are left");
    assertDamaged(
        blobOf(ByteBuffer.allocate(9).putInt(1).put(utf8("a")).putInt(Integer.MAX_VALUE).array()),
        "frame 2 claims 2147483647 bytes where 0 are left");
    assertDamaged(
        blobOf(ByteBuffer.allocate(4).putInt(-1).array()),
        "frame 1 claims 4294967295 bytes where 0 are left");
    assertDamaged(blobOf(new byte[] {0, 0, 0}), "its last frame has only part of a length");
  }

  @Test
  void aSmallBlobCannotInflateToEverything() {
    byte[] bomb = blobOf(new byte[FrameCodec.MAX_FRAMES + 1]);

    assertThat(bomb.length).isLessThan(1 << 20);
    assertDamaged(bomb, "it inflates to more than 67108864 bytes");
  }

  @Test
  void moreThanABlobMayHoldIsNotEncoded() {
    List<byte[]> messages = Collections.nCopies(65, new byte[1 << 20]);

    assertThatThrownBy(() -> FrameCodec.encode(messages))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("65 messages of 68157700 bytes in one segment; at most 67108864");
  }
}
