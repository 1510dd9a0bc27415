using System.Globalization;
using System.Runtime.InteropServices;

#pragma warning disable CA1050 // .NET's startup hooks require this name, outside of a namespace.
/// <summary>
/// .NET calls this class before the program, if DOTNET_STARTUP_HOOKS names this assembly. A thread then waits for the file of
/// faulty.py, and causes its fault: an exception, missing memory, or broken connections.
/// </summary>
internal static class StartupHook
{
    public static void Initialize()
    {
        if (Environment.GetEnvironmentVariable("LC_SC2BRIDGE_FAULT")?.Split(' ', 4) is [_, _, _, var file])
        {
            var target = Environment.GetCommandLineArgs().Contains("simulate") ? "game" : "bridge";
            new Thread(() => Wait($"{file}.{target}")) { IsBackground = true }.Start();
        }
    }

    private static void Wait(string file)
    {
        while (!File.Exists(file))
        {
            Thread.Sleep(1);
        }

        var kind = File.ReadAllText(file);
        File.Delete(file);
        switch (kind)
        {
            case "exception":
                throw new InvalidOperationException("a fault of the test");
            case "memory":
                // The test limits the heap with DOTNET_GCHeapHardLimit: RLIMIT_AS does not count memory that .NET has reserved before.
                List<byte[]> kept = [];
                while (true)
                {
                    kept.Add(GC.AllocateUninitializedArray<byte>(64 << 20));
                }

            default:
                foreach (var entry in Directory.GetFiles("/proc/self/fd"))
                {
                    _ = Shutdown(int.Parse(Path.GetFileName(entry), CultureInfo.InvariantCulture), 2);
                }

                break;
        }
    }

    [DllImport("libc", EntryPoint = "shutdown")]
    private static extern int Shutdown(int descriptor, int how);
}
