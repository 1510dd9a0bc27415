using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Native;

/// <summary>The functions of the interface, documented in sc2bridge.h. No exception leaves them.</summary>
internal static unsafe partial class Exports
{
    private const int LongestInput = 1 << 20;
    private const int InterfaceVersion = 3;

    [ThreadStatic]
    private static string? _lastError;

    private static readonly Lock TableLock = new();
    private static readonly Dictionary<long, Handle> Table = [];
    private static long _lastHandle;

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_version", CallConvs = [typeof(CallConvCdecl)])]
    public static int Version(byte* text, long capacity, int* interfaceVersion) => Try(() =>
    {
        *NotNull(interfaceVersion, "interface_version") = InterfaceVersion;
        Copy(BridgeVersion.Program, text, capacity);
    });

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_last_error", CallConvs = [typeof(CallConvCdecl)])]
    public static long LastError(byte* text, long capacity) => Copy(_lastError ?? "", text, capacity);

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_facings", CallConvs = [typeof(CallConvCdecl)])]
    public static int Facings(float* to, long length) => Try(() =>
    {
        var facings = SpanOf(to, length, Sines.Count, "facings");
        for (var i = 0; i < facings.Length; i++)
        {
            facings[i] = Sines.Facing(i);
        }
    });

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_open", CallConvs = [typeof(CallConvCdecl)])]
    public static int Open(byte* settings, long length, long* handle) =>
        Open(settings, length, handle, text => new VectorEnvironment(EnvironmentSettings.Read(text)));

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_layout", CallConvs = [typeof(CallConvCdecl)])]
    public static int Layout(long handle, int* to, long length) => With<VectorEnvironment>(handle, environment =>
        environment.Layout.CopyTo(SpanOf(to, length, environment.Layout.Length, "layout")));

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_bind", CallConvs = [typeof(CallConvCdecl)])]
    public static int Bind(long handle, Buffers.Part* buffers, long count) => With<VectorEnvironment>(handle, environment =>
        environment.Bind(SpanOf(buffers, count, Math.Clamp(count, 0, 64), "buffers")));

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_reset", CallConvs = [typeof(CallConvCdecl)])]
    public static int Reset(long handle, uint* seeds, long seedCount, byte* mask, long maskCount) => With<VectorEnvironment>(handle, environment =>
        environment.Reset(
            SpanOf(seeds, seedCount, environment.Layout[0], "seeds"),
            mask == null && maskCount == 0 ? default : SpanOf(mask, maskCount, environment.Layout[0], "mask")));

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_step", CallConvs = [typeof(CallConvCdecl)])]
    public static int Step(long handle, long* actions, long actionCount, uint* seeds, long seedCount) => With<VectorEnvironment>(handle, environment =>
        environment.Step(
            SpanOf(actions, actionCount, (long)environment.Layout[0] * environment.Layout[2], "actions"),
            SpanOf(seeds, seedCount, environment.Layout[0], "seeds")));

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_close", CallConvs = [typeof(CallConvCdecl)])]
    public static int Close(long handle) => With<Handle>(handle, opened =>
    {
        lock (TableLock)
        {
            Table.Remove(handle);
        }

        opened.Dispose();
    });

    private static int Open(byte* settings, long length, long* handle, Func<byte[], Handle> open) => Try(() =>
    {
        NotNull(handle, "handle");
        var opened = open(Bytes(settings, length, "settings").ToArray());
        lock (TableLock)
        {
            Table.Add(++_lastHandle, opened);
            *handle = _lastHandle;
        }
    });

    private static int With<T>(long handle, Action<T> use)
        where T : Handle => Try(() =>
    {
        Handle? opened;
        lock (TableLock)
        {
            opened = Table.GetValueOrDefault(handle);
        }

        if (opened?.Gate.TryEnter() is false)
        {
            throw new Failure(Code.Busy, "another thread is using this handle: one call at a time");
        }

        try
        {
            // Another thread can close the handle before this one enters.
            use(opened is T { IsClosed: false } found
                ? found
                : throw new Failure(Code.Handle, $"{handle} is not an open handle that this function can use"));
        }
        finally
        {
            opened?.Gate.Exit();
        }
    });

    private static int Try(Action call)
    {
        try
        {
            call();
            return (int)Code.Ok;
        }
        catch (Failure failure)
        {
            _lastError = failure.Message;
            return (int)failure.Code;
        }
#pragma warning disable CA1031 // An exception that left this method would end the caller's process.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            _lastError = $"the library failed: {failure.GetType().Name}: {failure.Message}";
            return (int)Code.Internal;
        }
    }

    private static T* NotNull<T>(T* pointer, string what)
        where T : unmanaged => pointer != null ? pointer : throw Failure.Argument($"{what}: give an address, not null");

    private static ReadOnlySpan<byte> Bytes(byte* pointer, long length, string what) => length is >= 0 and <= LongestInput
        ? SpanOf(pointer, length, length, what)
        : throw Failure.Argument($"{what} of {length} bytes: give at most {LongestInput}");

    private static Span<T> SpanOf<T>(T* pointer, long length, long needed, string what)
        where T : unmanaged
    {
        if (length != needed)
        {
            throw Failure.Argument($"{what}: give {needed} numbers, not {length}");
        }

        if (length > 0 && ((nint)NotNull(pointer, what) % sizeof(T) != 0) && sizeof(T) <= sizeof(long))
        {
            throw Failure.Argument($"{what}: give an address that is a multiple of {sizeof(T)}");
        }

        return new Span<T>(pointer, (int)length);
    }

    // Returns the length in bytes with the final 0.
    private static long Copy(string text, byte* to, long capacity)
    {
        var bytes = Encoding.UTF8.GetBytes(text + '\0');
        if (to != null && capacity > 0)
        {
            var count = (int)Math.Min(bytes.Length, capacity);
            bytes.AsSpan(0, count).CopyTo(new Span<byte>(to, count));
            to[count - 1] = 0;
        }

        return bytes.Length;
    }
}
