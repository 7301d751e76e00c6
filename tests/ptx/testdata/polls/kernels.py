import triton, triton.language as tl

@triton.jit
def splitk_lock(a,b,c,locks,M,N,K,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr,S:tl.constexpr):
    pid=tl.program_id(0); z=tl.program_id(1); pn=tl.cdiv(N,BN); m=pid//pn; n=pid%pn
    om=m*BM+tl.arange(0,BM); on=n*BN+tl.arange(0,BN); ok=z*BK+tl.arange(0,BK)
    acc=tl.zeros((BM,BN),tl.float32)
    for k in range(0,K,BK*S):
        acc=tl.dot(tl.load(a+om[:,None]*K+(k+ok)[None,:]),tl.load(b+(k+ok)[:,None]*N+on[None,:]),acc)
    p=c+om[:,None]*N+on[None,:]
    while tl.atomic_cas(locks+pid,z,z,sem='acquire')!=z: pass
    if z==0: tl.store(p,acc)
    else: tl.store(p,tl.load(p)+acc)
    tl.debug_barrier()
    tl.atomic_xchg(locks+pid,(z+1)%S,sem='release')

@triton.jit
def streamk(a,b,c,locks,M,N,K,full_tiles,iters_per,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr):
    pid=tl.program_id(0); pn=tl.cdiv(N,BN); ipt=tl.cdiv(K,BK); ok=tl.arange(0,BK)
    st=pid*iters_per; last=tl.minimum(st+iters_per,full_tiles*ipt)
    while st<last:
        rem=st%ipt; en=tl.minimum(st+(ipt-rem),last); t=st//ipt
        om=t//pn*BM+tl.arange(0,BM); on=t%pn*BN+tl.arange(0,BN)
        acc=tl.zeros((BM,BN),tl.float32)
        for i in range(st,en):
            k=(i%ipt)*BK
            acc=tl.dot(tl.load(a+om[:,None]*K+(k+ok)[None,:]),tl.load(b+(k+ok)[:,None]*N+on[None,:]),acc)
        p=c+om[:,None]*N+on[None,:]
        if en%ipt==0 and rem==0:
            tl.store(p,acc)
        else:
            if rem==0:
                tl.store(p,acc)
                tl.atomic_xchg(locks+t,1)
            else:
                while tl.atomic_cas(locks+t,1,1)!=1: pass
                tl.atomic_add(p,acc)
        st=en

@triton.jit
def lookback(x,o,st,n,B:tl.constexpr):
    p=tl.program_id(0); i=p*B+tl.arange(0,B); v=tl.load(x+i); s=tl.sum(v); 
    pre=0
    if p>0:
        while tl.atomic_add(st+p-1,0,sem='acquire')==0: pass
        pre=tl.load(st+n+p-1,volatile=True)
    tl.store(st+n+p,pre+s); tl.debug_barrier(); tl.atomic_xchg(st+p,1,sem='release')
    tl.store(o+i,tl.cumsum(v)+pre)
