using System.Buffers.Binary;
using System.Diagnostics;
using System.Text.Json;

namespace Sc2Bridge.Bench;

/// <summary>
/// A program of another language that reads observations from its standard input, each after its length (4 bytes,
/// little-endian), and prints its measurements as one JSON value in its last line.
/// </summary>
internal static class PeerProcess
{
    /// <summary>Runs it to its end.</summary>
    /// <typeparam name="T">What it prints, in snake case.</typeparam>
    /// <param name="start">The program.</param>
    /// <param name="observations">What it is fed, as fast as it reads.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="CommandException">It cannot be started, fails, or prints something else.</exception>
    public static async Task<T> RunAsync<T>(
        ProcessStartInfo start, IEnumerable<byte[]> observations, CancellationToken ct)
    {
        var text = await ProcessRun.ToEndAsync(start, ct, async input =>
        {
            var head = new byte[sizeof(int)];
            foreach (var observation in observations)
            {
                BinaryPrimitives.WriteInt32LittleEndian(head, observation.Length);
                await input.WriteAsync(head, ct);
                await input.WriteAsync(observation, ct);
            }
        });
        try
        {
            return LineJson.Read<T>(ProcessRun.LastLine(text) ?? "");
        }
        catch (JsonException unexpected)
        {
            throw new CommandException($"{start.FileName} printed no measurement: {unexpected.Message}");
        }
    }
}
