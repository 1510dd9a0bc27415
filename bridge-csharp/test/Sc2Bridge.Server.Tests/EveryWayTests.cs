using System.Text;
using SC2APIProtocol;
using Sc2Bridge.Encodings.Tests.Columns;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Server.Tests;

/// <summary>The same frames over every transport and compression, as observations and as columns.</summary>
public sealed class EveryWayTests
{
    public static TheoryData<string, Compression, Content> Ways { get; } = new(
        from transport in new[] { "grpc", "json", "ws", "json+deflate", "ws+deflate" }
        from compression in new[] { Compression.None, Compression.Zstd, Compression.GroupZstd }
        from content in new[] { Content.Observation, Content.Columns }
        select (transport, compression, content));

    [Theory]
    [Trait("ThirdParty", "real messages")]
    [MemberData(nameof(Ways))]
    public async Task Every_observation_comes_as_the_game_wrote_it(string transport, Compression compression, Content content)
    {
        await using var match = await ServedMatch.StartEverywhereAsync(TokenStore.Empty);
        using var agent = await AgentClient.ConnectAsync(match, transport);
        await agent.SendAsync(new() { Subscribe = new() { Perspective = ServedMatch.Side, Content = content, Compression = compression } });
        Assert.NotNull((await agent.NextAsync())?.Subscribe);
        var isText = transport.StartsWith("json", StringComparison.Ordinal);
        using var groups = new GroupDecoder();
        using var zstd = new ZstdDecompressor();

        // More frames than a group has.
        var frames = Enumerable.Repeat(Observations.AtHand(), compression == Compression.GroupZstd ? 4 : 1).SelectMany(all => all);
        foreach (var (name, bytes) in frames)
        {
            await match.PublishAsync(bytes, ServedMatch.Side);
            var frame = (await agent.ReceiveAsync())!.Frame;
            Assert.Equal((content, ServedMatch.Side), (frame.Content, frame.Perspective));
            var heard = Payload(frame);
            IMessage expected = content == Content.Columns ? PlainColumns.Of(bytes) : ResponseObservation.Parser.ParseFrom(bytes);

            // Decompressed frames are the game's original bytes.
            if (!isText && content == Content.Observation && compression != Compression.None)
            {
                Assert.True(heard.AsSpan().SequenceEqual(bytes), name);
            }

            var parsed = isText && compression != Compression.None
                ? JsonParser.Default.Parse(Encoding.UTF8.GetString(heard), expected.Descriptor)
                : expected.Descriptor.Parser.ParseFrom(heard);
            Assert.True(expected.ToByteArray().AsSpan().SequenceEqual(parsed.ToByteArray()), name);
        }

        byte[] Payload(Frame frame)
        {
            switch (compression)
            {
                case Compression.None:
                    return content == Content.Columns ? frame.Columns.ToByteArray() : frame.Observation.ToByteArray();
                case Compression.GroupZstd:
                    return groups.Decode(frame.Block).ToArray();
                default:
                    var output = MessageBuffer.Rent();
                    zstd.Decompress(frame.Zstd.Span, GroupLimits.LongestContent, output);
                    var whole = output.Written.ToArray();
                    output.Release();
                    return whole;
            }
        }
    }
}
