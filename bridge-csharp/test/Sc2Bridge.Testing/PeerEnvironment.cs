using System.Diagnostics;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Testing;

/// <summary>What a peer (a client in another language, run as a process) left behind.</summary>
/// <param name="ExitCode">0 where it ended well.</param>
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
/// Finds, or makes once and keeps under <c>.setup/peers</c>, what tests against third-party clients need: Pythons with
/// the wanted packages, Node modules, the folder of real messages. Each skips the test, with the reason, where this
/// machine lacks it.
/// </summary>
public static class PeerEnvironment
{
    /// <summary>The repository's root.</summary>
    public static string RepositoryRoot { get; } = FindRepositoryRoot();

    /// <summary>
    /// The folder <c>shared</c> beside the repository's root, or the one that <c>SC2BRIDGE_SHARED</c> names.
    /// </summary>
    public static string SharedFolder()
    {
        var named = Environment.GetEnvironmentVariable("SC2BRIDGE_SHARED");
        var folder = string.IsNullOrEmpty(named) ? Path.Combine(RepositoryRoot, "..", "shared") : named;
        Assert.SkipUnless(Directory.Exists(folder), $"There is no folder {Path.GetFullPath(folder)}: set SC2BRIDGE_SHARED.");
        return Path.GetFullPath(folder);
    }

    /// <summary>Every real observation (a serialized <c>ResponseObservation</c> a file), in a stable order.</summary>
    public static IReadOnlyList<string> RealObservations()
    {
        var folder = Path.Combine(SharedFolder(), "data", "real");
        Assert.SkipUnless(Directory.Exists(folder), $"There are no real messages at {folder}: set SC2BRIDGE_SHARED.");
        string[] files = Directory.GetFiles(folder, "*observation.pb", SearchOption.AllDirectories);
        Assert.SkipWhen(files.Length == 0, $"There are no real observations under {folder}: set SC2BRIDGE_SHARED.");
        Array.Sort(files, StringComparer.Ordinal);
        return files;
    }

    /// <summary>The distribution's Python with its grpcio, protobuf and websockets.</summary>
    public static async Task<string> DebianPythonAsync()
    {
        const string Python = "/usr/bin/python3";
        Assert.SkipUnless(File.Exists(Python), $"There is no {Python}.");
        var check = await RunAsync(
            Python, ["-c", "import grpc, google.protobuf, websockets"], TestContext.Current.CancellationToken);
        Assert.SkipUnless(
            check.ExitCode == 0, $"{Python} lacks python3-grpcio, python3-protobuf or python3-websockets: {check.Error}");
        return Python;
    }

    /// <summary>A Python of a virtual environment that holds the given packages from <c>shared/wheels</c>.</summary>
    /// <param name="wheels">Names as pip takes them: <c>grpcio</c>, <c>protobuf==6.33.0</c> …</param>
    public static async Task<string> NewestPythonAsync(params string[] wheels)
    {
        var source = Path.Combine(SharedFolder(), "wheels");
        Assert.SkipUnless(Directory.Exists(source), $"There are no wheels at {source}: set SC2BRIDGE_SHARED.");
        Assert.SkipUnless(File.Exists("/usr/bin/python3"), "There is no /usr/bin/python3 to make an environment with.");
        var folder = await MakeOnceAsync("python", wheels, async (target, token) =>
        {
            var made = await RunAsync("/usr/bin/python3", ["-m", "venv", target], token);
            return made.ExitCode != 0
                ? made
                : await RunAsync(
                    Path.Combine(target, "bin", "python"),
                    [
                        "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
                        "--find-links", source, "--find-links", Path.Combine(source, "older-protobuf"), .. wheels,
                    ],
                    token);
        });
        return Path.Combine(folder, "bin", "python");
    }

    /// <summary>A <c>node_modules</c> folder that holds the given packages, for <c>NODE_PATH</c>.</summary>
    /// <param name="packages">Names as npm takes them: <c>ws</c>, <c>@grpc/grpc-js</c> …</param>
    public static async Task<string> NodeModulesAsync(params string[] packages)
    {
        var folder = await MakeOnceAsync("node", packages, async (target, token) =>
        {
            Directory.CreateDirectory(target);
            await File.WriteAllTextAsync(Path.Combine(target, "package.json"), "{\"private\": true}", token);
            return await RunAsync(
                "npm", ["install", "--prefix", target, "--no-audit", "--no-fund", "--ignore-scripts", .. packages], token);
        });
        return Path.Combine(folder, "node_modules");
    }

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

    /// <summary>Runs a peer to its end; a cancelled one is killed with its children.</summary>
    public static Task<PeerResult> RunAsync(string executable, string[] arguments, CancellationToken token) =>
        RunAsync(executable, arguments, null, token);

    /// <summary>Runs a peer to its end, with environment variables added; a cancelled one is killed.</summary>
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

    // One test process makes it, and others that want the same wait on the lock's file. A marker says that it is whole.
    private static async Task<string> MakeOnceAsync(
        string kind, string[] packages, Func<string, CancellationToken, Task<PeerResult>> make)
    {
        var token = TestContext.Current.CancellationToken;
        var names = string.Join(' ', packages.Order(StringComparer.Ordinal));
        var key = Convert.ToHexStringLower(SHA256.HashData(System.Text.Encoding.UTF8.GetBytes(names)))[..12];
        var root = Directory.CreateDirectory(Path.Combine(RepositoryRoot, ".setup", "peers")).FullName;
        var target = Path.Combine(root, $"{kind}-{key}");
        var marker = Path.Combine(target, "complete");
        using (await LockAsync(target + ".lock", token))
        {
            if (!File.Exists(marker))
            {
                if (Directory.Exists(target))
                {
                    Directory.Delete(target, recursive: true);
                }

                var made = await make(target, token);
                Assert.SkipUnless(
                    made.ExitCode == 0, $"{kind} packages ({names}) cannot be installed here: {made.Error.Trim()}");
                await File.WriteAllTextAsync(marker, names, token);
            }
        }

        return target;
    }

    private static async Task<FileStream> LockAsync(string path, CancellationToken token)
    {
        while (true)
        {
            try
            {
                return new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
            }
            catch (IOException)
            {
                await Task.Delay(100, token);
            }
        }
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
