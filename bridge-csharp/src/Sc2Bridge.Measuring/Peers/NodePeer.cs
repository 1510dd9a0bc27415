using System.Diagnostics;
using Sc2Bridge.Measuring.Codecs;

namespace Sc2Bridge.Measuring.Peers;

/// <summary>What Node measured.</summary>
/// <param name="Runtime">Its version and the libraries'.</param>
/// <param name="Rows">Times of protobufjs and of JSON.</param>
public sealed record NodeResult(string Runtime, IReadOnlyList<CodecRow> Rows);

/// <summary>
/// Measures protobufjs against JSON.parse in Node, with <c>tools/benchmarks/node</c>, whose packages npm installs at
/// the versions of its lock file on the first call.
/// </summary>
public static class NodePeer
{
    /// <summary>Measures.</summary>
    /// <param name="observations">Serialized <c>ResponseObservation</c>s.</param>
    /// <param name="ct">Ends it.</param>
    /// <exception cref="MeasuringException">
    /// Node or its packages are not to be had; the message is for a table's reader.
    /// </exception>
    public static async Task<NodeResult> MeasureAsync(IEnumerable<byte[]> observations, CancellationToken ct)
    {
        var root = RepositoryFolder.Root
            ?? throw new MeasuringException("the program stands outside of its repository, which has the script");
        var folder = Path.Combine(root, "tools", "benchmarks", "node");
        if (!Directory.Exists(Path.Combine(folder, "node_modules", "protobufjs")))
        {
            await InstallAsync(folder, ct);
        }

        return await PeerProcess.RunAsync<NodeResult>(
            "node",
            [Path.Combine(folder, "codec_times.js"), Path.Combine(root, "proto")],
            new Dictionary<string, string>(),
            observations,
            ct);
    }

    private static async Task InstallAsync(string folder, CancellationToken ct)
    {
        Process process;
        try
        {
            process = Process.Start(new ProcessStartInfo(
                "npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries", "1"])
            {
                WorkingDirectory = folder,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            })!;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            throw new MeasuringException("Node's npm is not installed");
        }

        using (process)
        {
            var said = Task.WhenAll(
                process.StandardOutput.ReadToEndAsync(ct), process.StandardError.ReadToEndAsync(ct));
            try
            {
                await process.WaitForExitAsync(ct);
                await said;
            }
            finally
            {
                if (!process.HasExited)
                {
                    process.Kill(entireProcessTree: true);
                }
            }

            if (process.ExitCode != 0)
            {
                throw new MeasuringException("npm could not install protobufjs (is its registry reachable?)");
            }
        }
    }
}
