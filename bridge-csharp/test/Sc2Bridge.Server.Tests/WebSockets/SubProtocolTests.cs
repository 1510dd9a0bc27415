using SC2APIProtocol;
using Sc2Bridge.Encodings;
using Sc2Bridge.Server;

namespace Sc2Bridge.Server.Tests;

/// <summary>Binary messages from agents are read, or refused with the documented error.</summary>
public sealed class SubProtocolTests
{
    [Fact]
    public void Arbitrary_and_damaged_bytes_raise_the_documented_error_only()
    {
        var path = new RequestQueryPathing { StartPos = new Point2D { X = 1, Y = 2 }, UnitTag = 7 };
        var seed = new PlayRequest
        {
            RequestId = 3,
            CallGame = new CallGameRequest
            {
                MatchId = "m",
                Request = new Request { Query = new RequestQuery { Pathing = { path, path } } },
            },
        }.ToByteArray();
        var random = new Random(11);
        for (var round = 0; round < 50_000; round++)
        {
            var bytes = round % 2 == 0 ? new byte[random.Next(64)] : (byte[])seed.Clone();
            if (round % 2 == 0)
            {
                random.NextBytes(bytes);
            }
            else
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
                bytes = bytes[..random.Next(1, bytes.Length + 1)];
            }

            try
            {
                SubProtocol.Proto.Read(bytes);
            }
            catch (EncodingException)
            {
                // The only documented error.
            }
        }
    }

    [Fact]
    public void Deep_nesting_is_refused()
    {
        // Nested groups of an unknown field. Each level needs only one start tag.
        var deep = Enumerable.Repeat((byte)0x7B, 1_000_000).ToArray();
        Assert.Throws<EncodingException>(() => SubProtocol.Proto.Read(deep));
    }
}
