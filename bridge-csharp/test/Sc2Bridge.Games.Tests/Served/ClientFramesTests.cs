using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Games.Tests.Served;

/// <summary>How a client's frames are changed before the WebSocket library reads them.</summary>
public sealed class ClientFramesTests
{
    private static readonly Gen<(byte[] Sent, byte[] Expected)> _frame =
        from opcode in Gen.Elements<byte>(0, 1, 2, 8, 9, 10)
        from final in Gen.Elements<byte>(0, 0x80)
        from masked in Gen.Elements(false, true)
        from length in Gen.Elements(0, 1, 125, 126, 127, 300, 65_535, 65_536, 70_000)
        from form in Gen.Choose(0, 2)
        from filling in Gen.Choose(0, 255)
        select Frame((byte)(final | opcode), masked, length, form, (byte)filling);

    [Theory]
    [InlineData(20)]
    [InlineData(100, Traits = ["Suite", "Long"])]
    public void Each_becomes_binary_and_masked_however_the_bytes_are_cut(int times)
    {
        var cuts = Gen.Choose(1, 40_000).ListOf(30).Select(sizes => sizes.ToArray());
        Prop.ForAll(Arb.From(_frame.ListOf()), Arb.From(cuts), (frames, sizes) =>
        {
            var sent = frames.SelectMany(frame => frame.Sent).ToArray();
            var got = new List<byte>();
            var client = new ClientFrames();
            var room = new byte[40_000];
            for (int at = 0, cut = 0; ; cut++)
            {
                // Small pieces and small buffers, so that headers are split.
                var size = Math.Min(cut % 2 == 0 ? sizes[cut % sizes.Length] : 1 + (cut % 5), sent.Length - at);
                var space = cut % 3 == 0 ? sizes[(cut + 7) % sizes.Length] : 1 + (cut % 7);
                var (taken, given) = client.Convert(sent.AsSpan(at, size), room.AsSpan(0, space));
                got.AddRange(room[..given]);
                at += taken;
                if (at == sent.Length && given == 0)
                {
                    break;
                }
            }

            Assert.Equal([.. frames.SelectMany(frame => frame.Expected)], got);
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(times)));
    }

    // The length in its shortest form or a longer one. The payload looks like headers, too.
    private static (byte[] Sent, byte[] Expected) Frame(byte first, bool masked, int length, int form, byte filling)
    {
        form = Math.Max(form, length switch { < 126 => 0, < 65_536 => 1, _ => 2 });
        var lengthBytes = form switch { 0 => 0, 1 => 2, _ => 8 };
        var short7 = (byte)(form switch { 0 => length, 1 => 126, _ => 127 });
        byte[] rest =
            [.. Enumerable.Range(1, lengthBytes).Select(at => (byte)((ulong)length >> (8 * (lengthBytes - at))))];
        byte[] mask = masked ? [1, 2, 3, 4] : [];
        byte[] payload = [.. Enumerable.Repeat(filling, length)];
        var binary = (first & 0x0F) == 1 ? (byte)((first & 0xF0) | 2) : first;
        return (
            [first, (byte)(short7 | (masked ? 0x80 : 0)), .. rest, .. mask, .. payload],
            [binary, (byte)(short7 | 0x80), .. rest, .. masked ? mask : new byte[4], .. payload]);
    }
}
