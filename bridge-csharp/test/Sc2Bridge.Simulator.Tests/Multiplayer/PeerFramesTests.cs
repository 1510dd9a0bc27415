using Sc2Bridge.Simulator.Multiplayer;

namespace Sc2Bridge.Simulator.Tests.Multiplayer;

public sealed class PeerFramesTests
{
    [Fact]
    public void Messages_come_out_as_they_went_in_however_they_are_cut()
    {
        var random = new Random(3);
        var sent = Enumerable.Range(0, 200).Select(i =>
        {
            var content = new byte[random.Next(5) == 0 ? random.Next(5000) : random.Next(20)];
            random.NextBytes(content);
            return ((PeerMessage)random.Next(1, 7), content);
        }).ToArray();
        byte[] wire = [.. sent.SelectMany(m => PeerFrames.Pack(m.Item1, m.content))];
        var frames = new PeerFrames();
        var received = new List<(PeerMessage, byte[])>();
        for (var at = 0; at < wire.Length;)
        {
            var count = Math.Min(random.Next(1, 700), wire.Length - at);
            frames.Append(wire.AsSpan(at, count));
            at += count;
            while (frames.TryRead(out var message, out var content))
            {
                received.Add((message, content));
            }
        }

        Assert.Equal(sent, received);
    }

    [Fact]
    public void Whatever_comes_only_the_documented_error_is_raised()
    {
        var random = new Random(4);
        for (var i = 0; i < 5000; i++)
        {
            var frames = new PeerFrames();
            var bytes = new byte[random.Next(64)];
            random.NextBytes(bytes);
            if (random.Next(2) == 0 && bytes.Length > 3)
            {
                (bytes[0], bytes[1], bytes[2], bytes[3]) = ((byte)random.Next(60), 0, 0, 0);
            }

            frames.Append(bytes);
            try
            {
                while (frames.TryRead(out var message, out _))
                {
                    Assert.True(Enum.IsDefined(message));
                }
            }
            catch (FormatException error)
            {
                Assert.NotEmpty(error.Message);
            }
        }
    }
}
