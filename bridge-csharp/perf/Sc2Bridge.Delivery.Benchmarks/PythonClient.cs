using System.Diagnostics;
using System.Text.Json;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>What a client measured in one phase.</summary>
/// <param name="LatenciesUs">From the server's stamp to the client holding the message, after the warm-up.</param>
/// <param name="RoundTripsPerSecond">Frames over the time between the first after the warm-up and the last.</param>
/// <param name="Digests">The SHA-256 of each observation, warm-up included, where the phase asked for them.</param>
internal sealed record ClientResult(double[] LatenciesUs, double RoundTripsPerSecond, string[] Digests);

/// <summary>A Python process that receives frames and says when they came; it lives for all the rounds.</summary>
internal sealed class PythonClient : IAsyncDisposable
{
    private readonly Process _process;
    private readonly Task<string> _errors;

    private PythonClient(Process process, string description)
    {
        _process = process;
        _errors = process.StandardError.ReadToEndAsync();
        Description = description;
    }

    /// <summary>Which library, which version.</summary>
    public string Description { get; private set; }

    /// <summary>Starts one for a target of the delivery benchmark.</summary>
    /// <exception cref="MeasuringException">It could not be started, or lacks a package.</exception>
    public static Task<PythonClient> StartAsync(
        string python, string transport, string address, CancellationToken ct) =>
        StartAsync(python, "delivery_client.py", [transport, address], ct);

    /// <summary>Starts a script that says hello, and then answers each line with one.</summary>
    /// <exception cref="MeasuringException">It could not be started, or lacks a package.</exception>
    public static async Task<PythonClient> StartAsync(
        string python, string script, string[] arguments, CancellationToken ct)
    {
        var client = new PythonClient(PythonScript.Start(python, script, arguments), "");
        using var hello = await client.ReadLineAsync(ct);
        client.Description = hello.RootElement.GetProperty("client").GetString()!;
        return client;
    }

    /// <summary>Receives a phase's frames.</summary>
    /// <exception cref="MeasuringException">A frame was missing or the client failed.</exception>
    public async Task<ClientResult> ReceiveAsync(Phase phase, int warmUp, CancellationToken ct)
    {
        using var line = await AskAsync(
            new { lockstep = phase.Lockstep, frames = phase.Frames, warm_up = warmUp, digests = phase.Digests }, ct);
        var result = line.RootElement;
        return new ClientResult(
            [.. result.GetProperty("latencies_us").EnumerateArray().Select(value => value.GetDouble())],
            result.GetProperty("per_second").GetDouble(),
            [.. result.GetProperty("digests").EnumerateArray().Select(value => value.GetString()!)]);
    }

    /// <summary>Has it do something.</summary>
    /// <exception cref="MeasuringException">It failed.</exception>
    public async Task<JsonDocument> AskAsync<T>(T command, CancellationToken ct)
    {
        await _process.StandardInput.WriteLineAsync(JsonSerializer.Serialize(command).AsMemory(), ct);
        await _process.StandardInput.FlushAsync(ct);
        return await ReadLineAsync(ct);
    }

    public async ValueTask DisposeAsync()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(TimeSpan.FromSeconds(5)))
        {
            _process.Kill();
        }

        await _process.WaitForExitAsync();
        _process.Dispose();
    }

    private async Task<JsonDocument> ReadLineAsync(CancellationToken ct)
    {
        var line = await _process.StandardOutput.ReadLineAsync(ct);
        return line is not null
            ? JsonDocument.Parse(line)
            : throw new MeasuringException($"the Python client failed: {LastLine(await _errors)}");
    }

    private static string LastLine(string text) =>
        text.Split('\n', StringSplitOptions.RemoveEmptyEntries) is [.., var last] ? last : "it ended without a word";
}

/// <summary>Where the Python scripts stand and how they are run.</summary>
internal static class PythonScript
{
    /// <summary>The root of the repository that this program was built from.</summary>
    public static string RepositoryRoot { get; } = typeof(PythonScript).Assembly
        .GetCustomAttributes(typeof(System.Reflection.AssemblyMetadataAttribute), false)
        .Cast<System.Reflection.AssemblyMetadataAttribute>()
        .First(attribute => attribute.Key == "RepositoryRoot").Value!;

    /// <summary>The Python that the set-up made, else the system's.</summary>
    public static string DefaultPython
    {
        get
        {
            var own = Path.Combine(RepositoryRoot, ".venv", "bin", "python");
            return File.Exists(own) ? own : "/usr/bin/python3";
        }
    }

    /// <summary>Starts a script of tools/benchmarks with all three streams redirected.</summary>
    /// <exception cref="MeasuringException">There is no such Python.</exception>
    public static Process Start(string python, string script, params string[] arguments)
    {
        string[] all = ["-u", Path.Combine(RepositoryRoot, "tools", "benchmarks", script), .. arguments];
        var start = new ProcessStartInfo(python, all)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["PYTHONPATH"] = Path.Combine(RepositoryRoot, "agent-python", "src");
        try
        {
            return Process.Start(start)!;
        }
        catch (System.ComponentModel.Win32Exception exception)
        {
            throw new MeasuringException($"cannot start {python} ({exception.Message}): name another with --python");
        }
    }
}
