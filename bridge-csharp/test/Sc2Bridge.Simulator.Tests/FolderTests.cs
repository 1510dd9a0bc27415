using System.Buffers;
using Google.Protobuf;
using Sc2Bridge.Games;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Tests;

public sealed class FolderTests : IDisposable
{
    private static readonly Request Observe = new() { Observation = new RequestObservation() };
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("observations");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [Trait("Needs", "real")]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Real_messages_come_by_socket_byte_for_byte_once_or_again_and_again(bool repeat)
    {
        var folder = SharedFolder.Folder("data/real");
        var files = Directory.GetFiles(folder, "*observation.pb", SearchOption.AllDirectories)
            .Order(StringComparer.Ordinal).ToArray();
        var options = SimulatorOptions.Parse(
            ["-port", "0", "-observations", folder, .. repeat ? ["-observationsRepeat"] : Array.Empty<string>()]);
        await using var server = await SimulatedGameServer.StartAsync(options, Ct);
        using var client = await GameSocket.ConnectAsync(server.Port);
        await client.JoinAsync();
        var last = Array.Empty<byte>();
        for (var i = 0; i < files.Length; i++)
        {
            last = await File.ReadAllBytesAsync(files[i], Ct);
            await client.SendAsync(Observe);
            var answer = await client.ReceiveBytesAsync();
            Assert.True(Body(answer!, last.Length).SequenceEqual(last), files[i]);
            var ended = !repeat && i == files.Length - 1;
            Assert.Equal(ended ? Status.Ended : Status.InGame, Response.Parser.ParseFrom(answer).Status);
        }

        // Then the first observation again, or the last one: an ended game keeps showing its end.
        var next = repeat ? await File.ReadAllBytesAsync(files[0], Ct) : last;
        await client.SendAsync(Observe);
        Assert.True(Body((await client.ReceiveBytesAsync())!, next.Length).SequenceEqual(next));
    }

    [Fact]
    public void Bytes_that_no_serializer_of_ours_would_write_stay_as_they_are()
    {
        // An unknown field and fields out of order.
        byte[][] messages = [[0x1a, 0x02, 0x48, 0x07, 0xf8, 0x7f, 0x01], [0x2a, 0x00, 0x1a, 0x00]];
        File.WriteAllBytes(Path.Combine(_folder.FullName, "1.pb"), messages[0]);
        File.WriteAllBytes(Path.Combine(_folder.FullName, "2.pb"), messages[1]);
        var game = Game.Joined(Game.Create(), options: new SimulatorOptions { ObservationFolder = _folder.FullName });
        foreach (var (message, status) in messages.Zip([Status.InGame, Status.Ended]))
        {
            var output = new ArrayBufferWriter<byte>();
            game.Handle(Observe, output);
            Assert.Equal(message, Body(output.WrittenSpan, message.Length).ToArray());
            Assert.Equal(status, Response.Parser.ParseFrom(output.WrittenSpan).Status);
        }
    }

    [Fact]
    public void A_folder_that_cannot_be_used_is_one_clear_error()
    {
        string Told(string folder) => Assert.Throws<ArgumentException>(
            () => new SimulatedGame(new SimulatorOptions { ObservationFolder = folder })).Message;

        Assert.Contains("there is no such folder", Told(Path.Combine(_folder.FullName, "none")));
        Assert.Contains("put ResponseObservation files in it", Told(_folder.FullName));
    }

    // The observation is first in the response, after its tag and its length.
    private static ReadOnlySpan<byte> Body(ReadOnlySpan<byte> response, int length)
    {
        var head = 1 + CodedOutputStream.ComputeUInt32Size((uint)length);
        return response.Slice(head, length);
    }
}
