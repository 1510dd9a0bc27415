using System.Diagnostics;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Testing;

/// <summary>The result of a peer (a client in another language, run as a process).</summary>
/// <param name="ExitCode">0 if it succeeded.</param>
/// <param name="Output">Its standard output.</param>
/// <param name="Error">Its standard error.</param>
public sealed record PeerResult(int ExitCode, string Output, string Error)
{
    /// <summary>The last line of the output, which peer scripts print as one JSON value.</summary>
    public JsonElement Json()
    {
        if (ExitCode != 0)
        {
            Assert.Fail($"The peer ended with exit code {ExitCode}.\n{Error}\n{Output}");
        }

        var lines = Output.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        Assert.NotEmpty(lines);
        using var document = JsonDocument.Parse(lines[^1]);
        return document.RootElement.Clone();
    }
}

/// <summary>
/// Runs clients of other projects, which <c>tools/set-up --test</c> installs. Skips the test if that was not possible.
/// </summary>
public static class PeerEnvironment
{
    public static string RepositoryRoot { get; } = FindRepositoryRoot();

    /// <summary>A Python with a distribution's packages; the test has the trait <c>Needs</c> <c>debian</c>.</summary>
    public static string DebianPython() => Python("debian");

    /// <summary>A Python with PyPI's newest packages; the test has the trait <c>Needs</c> <c>newest</c>.</summary>
    public static string NewestPython() => Python("newest");

    /// <summary>The value for <c>NODE_PATH</c>. The test has the trait <c>Needs</c> <c>node</c>.</summary>
    public static string NodeModules() => Installed("tools", "peers", "node_modules");

    /// <summary>A <c>FileDescriptorSet</c> of every message, for peers that have no generated code.</summary>
    public static string DescriptorSetFile()
    {
        var set = new FileDescriptorSet();
        Add(V1.BridgeReflection.Descriptor, []);
        var bytes = set.ToByteArray();
        var folder = Directory.CreateDirectory(Path.Combine(RepositoryRoot, ".setup", "peers")).FullName;
        var file = Path.Combine(folder, $"descriptors-{Convert.ToHexStringLower(SHA256.HashData(bytes))[..12]}.binpb");
        if (!File.Exists(file))
        {
            var written = $"{file}.{Environment.ProcessId}.{Guid.NewGuid():N}";
            File.WriteAllBytes(written, bytes);
            File.Move(written, file, overwrite: true);
        }

        return file;

        void Add(FileDescriptor descriptor, HashSet<string> seen)
        {
            if (seen.Add(descriptor.Name))
            {
                foreach (var dependency in descriptor.Dependencies)
                {
                    Add(dependency, seen);
                }

                set.File.Add(FileDescriptorProto.Parser.ParseFrom(descriptor.SerializedData));
            }
        }
    }

    /// <summary>The path of a peer script in this folder.</summary>
    /// <param name="parts">For example <c>websocket</c>, <c>asyncio_client.py</c>.</param>
    public static string Script(params string[] parts) =>
        Path.Combine([RepositoryRoot, "bridge-csharp", "test", "Sc2Bridge.Server.Tests", "Peers", .. parts]);

    /// <summary>Runs a peer to its end. If cancelled, it is killed with its child processes.</summary>
    public static Task<PeerResult> RunAsync(string executable, string[] arguments, CancellationToken token) =>
        RunAsync(executable, arguments, null, token);

    /// <summary>Runs a peer to its end, with added environment variables. If cancelled, it is killed.</summary>
    public static async Task<PeerResult> RunAsync(
        string executable, string[] arguments, IReadOnlyDictionary<string, string>? environment, CancellationToken token)
    {
        var start = new ProcessStartInfo(executable, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in environment ?? new Dictionary<string, string>())
        {
            start.Environment[name] = value;
        }

        Process? process = null;
        try
        {
            process = Process.Start(start)!;
        }
        catch (System.ComponentModel.Win32Exception missing)
        {
            return new PeerResult(127, "", $"{executable}: {missing.Message}");
        }

        using (process)
        {
            try
            {
                var output = process.StandardOutput.ReadToEndAsync(token);
                var error = process.StandardError.ReadToEndAsync(token);
                await process.WaitForExitAsync(token);
                return new PeerResult(process.ExitCode, await output, await error);
            }
            finally
            {
                if (!process.HasExited)
                {
                    process.Kill(entireProcessTree: true);
                }
            }
        }
    }

    private static string Python(string environment) => Installed(".setup", environment, "bin", "python");

    private static string Installed(params string[] parts)
    {
        var path = Path.Combine([RepositoryRoot, .. parts]);
        Assert.SkipUnless(Path.Exists(path), $"there is no {path}: tools/set-up --test makes it, or says why it cannot");
        return path;
    }

    private static string FindRepositoryRoot()
    {
        for (var at = new DirectoryInfo(AppContext.BaseDirectory); at is not null; at = at.Parent)
        {
            if (File.Exists(Path.Combine(at.FullName, "global.json")) && Directory.Exists(Path.Combine(at.FullName, "proto")))
            {
                return at.FullName;
            }
        }

        throw new DirectoryNotFoundException($"No repository's root above {AppContext.BaseDirectory}.");
    }
}
