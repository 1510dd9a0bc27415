namespace Sc2Bridge.Native;

/// <summary>Threads that share the matches of each step with the calling thread. One call at a time.</summary>
internal sealed class WorkerPool : IDisposable
{
    private readonly Thread[] _threads;
    private readonly SemaphoreSlim _begin = new(0);
    private readonly CountdownEvent _done = new(1);
    private Action<int>? _work;
    private Exception? _failure;
    private int _next;
    private int _count;

    /// <summary>Starts threads.</summary>
    /// <param name="threads">The number of threads with the calling thread.</param>
    public WorkerPool(int threads)
    {
        _threads = [.. Enumerable.Range(1, threads - 1).Select(_ => new Thread(Work) { IsBackground = true, Name = "sc2bridge" })];
        foreach (var thread in _threads)
        {
            thread.Start();
        }
    }

    /// <summary>Calls a function with the numbers from 0 to count − 1, on all threads, and waits for the end.</summary>
    /// <exception cref="Exception">The first exception of the function. The other numbers are still called.</exception>
    public void Run(int count, Action<int> work)
    {
        var helpers = Math.Min(_threads.Length, count - 1);
        (_work, _count, _next, _failure) = (work, count, -1, null);
        if (helpers > 0)
        {
            _done.Reset(helpers);
            _begin.Release(helpers);
        }

        WorkOff();
        if (helpers > 0)
        {
            _done.Wait();
        }

        if (_failure is { } failure)
        {
            throw failure;
        }
    }

    /// <summary>Ends the threads.</summary>
    public void Dispose()
    {
        _work = null;
        if (_threads.Length > 0)
        {
            _begin.Release(_threads.Length);
        }

        foreach (var thread in _threads)
        {
            thread.Join();
        }

        _begin.Dispose();
        _done.Dispose();
    }

    private void Work()
    {
        while (true)
        {
            _begin.Wait();
            if (_work is null)
            {
                return;
            }

            WorkOff();
            _done.Signal();
        }
    }

    private void WorkOff()
    {
        while (Interlocked.Increment(ref _next) is var number && number < _count)
        {
            try
            {
                _work!(number);
            }
#pragma warning disable CA1031 // Each match must end its step. The caller gets the first failure.
            catch (Exception failure)
#pragma warning restore CA1031
            {
                Interlocked.CompareExchange(ref _failure, failure, null);
            }
        }
    }
}
